import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "..", "..");
const UNITS: Record<string, string> = {
  count: "Count",
  countApart: "Count",
  duration: "Milliseconds",
  seconds: "Seconds",
};

/** Every metric that the code records: its unit and dimensions by its name. */
function recorded(): Record<string, string> {
  const metrics: Record<string, string> = {};
  for (const file of globSync("shared/**/*.ts", { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, file), "utf8");
    for (const [, how = "", name = "", rest = ""] of source.matchAll(
      /\b(count|countApart|duration|seconds)\(\s*"(\w+)",([^;]*)\);/g,
    )) {
      const dimensions = /\{([^}]*)\}/.exec(rest)?.[1]?.split(",") ?? [];
      metrics[name] = [UNITS[how], ...dimensions.map((one) => one.split(":")[0]?.trim())].filter(Boolean).join(" ");
    }
  }
  return metrics;
}

/** The same of what the table says. */
function documented(): Record<string, string> {
  const [, section = ""] = readFileSync(join(ROOT, "docs/operations.md"), "utf8").split("\n## Metrics\n");
  const metrics: Record<string, string> = {};
  for (const row of section.split("\n").filter((line) => line.startsWith("| `"))) {
    const [, names = "", dimensions = "", unit = ""] = row.split("|");
    const words = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);
    for (const name of words(names)) {
      metrics[name] = [unit.trim(), ...words(dimensions)].join(" ");
    }
  }
  return metrics;
}

describe("the table of metrics in docs/operations.md", () => {
  test("has every metric that is recorded, with its unit and dimensions, and no other", () => {
    expect(documented()).toEqual(recorded());
  });

  test("has been read, and so has the code", () => {
    expect(recorded()).toMatchObject({ Requests: "Count route", SweepLag: "Seconds", Alarms: "Count level by" });
    expect(Object.keys(recorded()).length).toBeGreaterThan(20);
  });
});
