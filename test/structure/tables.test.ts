import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { table } from "../../shared/table.ts";

const ROOT = join(import.meta.dirname, "../..");
const RULE = "./tools/lint/tables.grit";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const config = { plugins: [join(ROOT, RULE)], linter: { rules: { preset: "none" } } };
  writeFileSync(join(folder, "biome.json"), JSON.stringify(config));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lints a module. @returns whether the rule about tables allows it */
function passes(code: string): boolean {
  writeFileSync(join(folder, "example.ts"), code);
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "lint", `--config-path=${folder}`, "example.ts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const said = /plain object also has members/;
  expect(`${stdout}${stderr}`).toMatch(status === 0 ? /Checked 1 file/ : said);
  return status === 0;
}

test("the rule holds wherever a caller's text can arrive, which is not in training or tests", () => {
  const { overrides } = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8"));
  expect(overrides).toContainEqual({
    includes: [
      "shared/**",
      "functions/**",
      "local/**",
      "packages/**",
      "!packages/*/test/**",
      "!packages/safety/training/**",
    ],
    plugins: [RULE],
  });
});

test("a table has its own rows only", () => {
  const rows = table({ m: 12 });
  expect([rows.m, ...["constructor", "toString", "__proto__"].map((name) => rows[name])]).toEqual([
    12,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  "export const TABLE: Record<string, number> = { m: 12 };",
  "const TABLE: Readonly<Record<string, number>> = { m: 12 };\nexport const row = (text: string) => TABLE[text];",
  "export const TABLE = { m: 12 } satisfies Record<string, number>;",
  "export const TABLE = { m: 12 } as Record<string, number>;",
  "const TABLE = { m: 12 };\nexport const row = (text: string) => TABLE[text as keyof typeof TABLE];",
])("no plain object is looked up by any text: %s", (code) => {
  expect(passes(code)).toBe(false);
});

test.each([
  'import { table } from "../table.ts";\nexport const TABLE = table({ m: 12 });',
  'export const TABLE: Record<"m" | "d", number> = { m: 12, d: 365 };',
  'export const TABLE = new Map([["m", 12]]);',
])("a table of its own rows, or of known keys, is allowed: %s", (code) => {
  expect(passes(code)).toBe(true);
});
