import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { METRICS } from "../../shared/request/metric-registry.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const UNITS: Record<string, string> = {
  count: "Count",
  countWithoutRequestId: "Count",
  duration: "Milliseconds",
  seconds: "Seconds",
};

/** The text after the heading "Metrics". */
const [, section = ""] = readFileSync(join(ROOT, "docs/runbook.md"), "utf8").split("\n## Metrics\n");
const rows =
  section
    .split("\n## ")[0]
    ?.split("\n")
    .filter((line) => line.startsWith("| `")) ?? [];

/** The unit and dimensions of each metric in the registry, by name. */
const registered: Record<string, string> = Object.fromEntries(
  Object.entries(METRICS).map(([name, { unit, dimensions }]) => [name, [unit, ...dimensions].join(" ")]),
);

/** The unit and dimensions of each metric that the code records, by name. */
function recorded(): Record<string, string> {
  const metrics: Record<string, string> = {};
  for (const file of globSync("shared/**/*.ts", { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, file), "utf8");
    for (const [, how = "", name = "", rest = ""] of source.matchAll(
      /\b(count|countWithoutRequestId|duration|seconds)\(\s*"(\w+)",([^;]*)\);/g,
    )) {
      const dimensions = /\{([^}]*)\}/.exec(rest)?.[1]?.split(",") ?? [];
      metrics[name] = [UNITS[how], ...dimensions.map((one) => one.split(":")[0]?.trim())].filter(Boolean).join(" ");
    }
  }
  return metrics;
}

describe("the registry of metrics", () => {
  test("has exactly the recorded metrics, with their units and dimensions", () => {
    expect(recorded()).toEqual(registered);
  });
});

describe("the table of metrics in docs/runbook.md", () => {
  test("has the metrics of the registry in its order, with their units, dimensions and descriptions", () => {
    const expected = Object.entries(METRICS).map(([name, { dimensions, unit, description }]) => {
      const cells = [`\`${name}\``, dimensions.map((one) => `\`${one}\``).join(", "), unit, description];
      return `| ${cells.join(" | ")} |`.replace("|  |", "| |");
    });
    expect(rows).toEqual(expected);
  });
});
