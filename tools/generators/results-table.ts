import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "..", "..", "docs", "generators.md");

/**
 * Replaces the rows of generators that ran in the table of `docs/generators.md`, and removes those of generators that no
 * longer exist.
 *
 * @param names all generators, in the order of the table
 * @param results of those that ran, by name
 */
export function updateTable(names: string[], results: Map<string, string>): void {
  const text = readFileSync(FILE, "utf8");
  const rows = new Map(
    [...text.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(([, name = "", result = ""]) => [name, result]),
  );
  const prose = text.slice(0, text.indexOf("| generator |"));
  const table = ["| generator | result |", "|---|---|"];
  for (const name of names) {
    table.push(`| ${name} | ${results.get(name) ?? rows.get(name) ?? "has not run yet"} |`);
  }
  writeFileSync(FILE, `${prose}${table.join("\n")}\n`);
}
