import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { METRICS } from "../../shared/request/metric-registry.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** The text after the heading "Metrics". */
const [, section = ""] = readFileSync(join(ROOT, "docs/runbook.md"), "utf8").split("\n## Metrics\n");
const rows =
  section
    .split("\n## ")[0]
    ?.split("\n")
    .filter((line) => line.startsWith("| `")) ?? [];

test("the registry has no metric that nothing records", () => {
  const code = globSync("shared/**/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
  const isRecorded = (name: string) =>
    new RegExp(String.raw`\b(count|countWithoutRequestId|duration|seconds)\(\s*"${name}"`).test(code.join("\n"));
  expect(Object.keys(METRICS).filter((name) => !isRecorded(name))).toEqual([]);
});

test("the table of metrics in docs/runbook.md has those of the registry in its order, with units, dimensions and descriptions", () => {
  const expected = Object.entries(METRICS).map(([name, { dimensions, unit, description }]) => {
    const cells = [`\`${name}\``, dimensions.map((one) => `\`${one}\``).join(", "), unit, description];
    return `| ${cells.join(" | ")} |`.replace("|  |", "| |");
  });
  expect(rows).toEqual(expected);
});
