import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "..", "..", "docs", "performance.md");

/**
 * Reads a table of docs/performance.md.
 *
 * @param header the first cell of its header
 * @returns the row of each first cell, with its other cells by the name of their column; numbers without units and bold
 *   type
 * @throws Error if there is no such table
 */
export function documentedTable(header: string): [name: string, row: Record<string, number>][] {
  const lines = readFileSync(FILE, "utf8").split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${header} |`));
  if (start < 0) {
    throw new Error(`docs/performance.md has no table of each ${header}.`);
  }
  const rest = lines.slice(start);
  const [columns = [], , ...rows] = rest.slice(0, rest.indexOf("")).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("**", "")),
  );
  return rows.map(([name = "", ...cells]) => [
    name,
    Object.fromEntries(cells.map((cell, index) => [columns[index + 1], Number.parseFloat(cell.replace(/^\$/, ""))])),
  ]);
}
