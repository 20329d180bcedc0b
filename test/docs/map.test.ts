import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "../..");
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
const map = /^## Map\n.*?(?=^## )/ms.exec(text("README.md"))?.[0] ?? "";

/** The share by which the map's figures may be wrong, so that not every change needs a new one. */
const TOLERANCE = 0.1;

/** The lines of code below a directory: not of tests, examples and generated declarations. */
function linesIn(directory: string): number {
  return globSync(`${directory}/**/*.{ts,js,mjs,cjs}`, { cwd: ROOT })
    .filter((path) => !/\.d\.ts$|[\\/](test|example|node_modules)[\\/]/.test(path))
    .reduce((sum, path) => sum + text(path).split("\n").length - 1, 0);
}

describe("the README's map", () => {
  const rows = [...map.matchAll(/^\| ([\w ]+) \| (`.*`) \| ([\d,]+) \|$/gm)].map(([, storey, cell, figure]) => ({
    storey,
    directories: [...(cell ?? "").matchAll(/`(.*?)\/`/g)].map(([, directory]) => directory ?? ""),
    lines: Number(figure?.replaceAll(",", "")),
  }));

  test("has three storeys with a row for every package", () => {
    expect([...new Set(rows.map(({ storey }) => storey))]).toEqual(["entry points", "service", "packages"]);
    const packages = rows.filter(({ storey }) => storey === "packages").flatMap(({ directories }) => directories);
    expect(packages).toEqual(readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`));
  });

  test.each(rows)("says about how many lines $directories have", ({ directories, lines }) => {
    const counted = directories.reduce((sum, directory) => sum + linesIn(directory), 0);
    expect(Math.abs(lines - counted) / counted).toBeLessThan(TOLERANCE);
  });

  test.each(["packages", "shared"])("names every directory of %s/, and no other", (parent) => {
    const [, block = ""] = new RegExp(`^${parent}/ .*\\n((?: {2}.*\\n)*)`, "m").exec(map) ?? [];
    const named = [...block.matchAll(/^ {2}([\w-]+)\//gm)].map(([, name]) => name);
    const directories = readdirSync(join(ROOT, parent), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(named.toSorted()).toEqual(directories.map(({ name }) => name).toSorted());
  });
});

test("the page for newcomers names twelve files, which exist", () => {
  const page = text("docs/reading-a-chat.md");
  const files = [...page.matchAll(/^\d+\. \[([\w/.-]+)\]\(\.\.\/\1\): \S/gm)].map(([, path]) => path ?? "");
  expect(files).toHaveLength(12);
  expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
