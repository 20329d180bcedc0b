import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { countBilled, type Resources } from "../../tools/cost/count.ts";
import { awsItems, hourAtCeiling, laterItems, modelItems } from "../../tools/cost/items.ts";
import { threadTokens } from "../../tools/cost/model-tokens.ts";
import { documentedTable } from "../helpers/documented-table.ts";
import { type Kind, stageAssemblies } from "../helpers/template/stages.ts";
import { Template } from "../helpers/template/template.ts";

const assemblies = await stageAssemblies();

const resourcesOf = (kind: Kind) => new Template(join(assemblies, kind)).resources as Resources;
const counts = (kind: Kind) => countBilled(resourcesOf(kind));
const total = (kind: Kind, chats: number, onlyFixed = false) =>
  awsItems(counts(kind), chats).reduce((sum, { dollars, fixed }) => sum + (onlyFixed && !fixed ? 0 : dollars), 0);

describe("the monthly cost", () => {
  test("is computed from the template's resources", () => {
    expect(counts("staging")).toMatchObject({
      secrets: 2,
      keys: 2,
      rotatedKeys: 2,
      logDays: 90,
      backupDays: 14,
      copyDays: 0,
      dashboards: 1,
      compositeAlarms: 1,
      firewallRules: 4,
    });
    expect(counts("prod")).toMatchObject({ secrets: 3, concurrentChats: 30 }); // one extra for the fallback model
    expect(counts("unreserved").concurrentChats).toBeUndefined();
    expect(counts("options")).toMatchObject({ firewallRules: 5, backupDays: 35, copyDays: 35 });
    expect(counts("small")).toMatchObject({ firewallRules: 0, dashboards: 1, compositeAlarms: 1 });
    expect(counts("dev")).toMatchObject({ firewallRules: 0, alarmMetrics: 0, compositeAlarms: 0 });
  });

  test("follows the template: an alarm with two more metrics costs 20 cents more", () => {
    const resources = resourcesOf("staging");
    const before = awsItems(countBilled(resources), 0);
    const metrics = [{ MetricStat: {} }, { MetricStat: {} }, { Expression: "a + b" }];
    const more = { ...resources, More: { Type: "AWS::CloudWatch::Alarm", Properties: { Metrics: metrics } } };
    const sum = (items: typeof before) => items.reduce((all, { dollars }) => all + dollars, 0);
    expect(sum(awsItems(countBilled(more), 0)) - sum(before)).toBeCloseTo(0.2);
  });

  test("is affordable for a small clinic with the profile small, and lower in dev", () => {
    expect(total("small", 1_000_000)).toBeLessThan(40);
    expect(total("small", 0, true)).toBeLessThan(12);
    expect(total("dev", 0, true)).toBeLessThan(10);
    expect(total("small", 0, true)).toBeLessThan(total("staging", 0, true) / 2);
  });

  test.each([50, 500])("with %i clients differs only in the queries that look up their usage", (clients) => {
    const items = (count: number) => awsItems(counts("staging"), 1_000_000, count);
    const differing = items(clients).filter((item, index) => item.dollars !== items(1)[index]?.dollars);
    expect(differing.map(({ name }) => name)).toEqual(["CloudWatch, usage by client"]);
    expect(differing[0]?.dollars).toBeLessThan(clients * 0.02);
  });
});

describe("docs/performance.md has the cost of a million chats", () => {
  const MILLION = 1_000_000;
  const documented = documentedTable("item");

  test.each([
    ["standard", "atOnce"],
    ["small", "small"],
  ] as const)("in the profile %s, give or take a tenth and ten cents", (profile, kind) => {
    const aws = awsItems(counts(kind), MILLION, 1, 100_000);
    const items = [
      ...aws,
      { name: "total", dollars: aws.reduce((sum, { dollars }) => sum + dollars, 0) },
      ...laterItems(counts(kind), MILLION),
      // gpt-6-luna
      ...modelItems(MILLION, threadTokens(), { input: 0.1, cached: 0.01, output: 0.5, written: 0.125 }),
    ];
    expect(documented.map(([name]) => name)).toEqual(items.map(({ name }) => name));
    for (const [index, { name, dollars }] of items.entries()) {
      const difference = Math.abs(dollars - (documented[index]?.[1][profile] ?? Number.NaN));
      expect({ name, differs: !(difference <= 0.1 + dollars / 10) }).toEqual({ name, differs: false });
    }
  });
});

test("docs/performance.md has what each stage costs without a single chat, and how much of it are alarms and firewall", () => {
  const kinds: Record<string, Kind> = { dev: "dev", staging: "staging", prod: "atOnce", "prod, small": "small" };
  for (const [stage, { total: documented, "alarms and firewall": watching }] of documentedTable("stage")) {
    const items = awsItems(counts(kinds[stage] ?? "dev"), 0);
    const sum = (counted: typeof items) => counted.reduce((all, { dollars }) => all + dollars, 0);
    expect(documented).toBeCloseTo(sum(items), 0);
    expect(watching).toBeCloseTo(sum(items.filter(({ name }) => /alarms|^firewall/.test(name))), 0);
  }
  expect(documentedTable("stage").map(([stage]) => stage)).toEqual(Object.keys(kinds));
});

describe("the tokens of a thread", () => {
  test("are counted from the prompts that chat builds, with the previous prompt cached", () => {
    const { input, cached, written, output } = threadTokens();
    expect(output).toBe(10 * Math.ceil(810 / 4));
    expect(input).toBeGreaterThan(15_000);
    expect(cached).toBeGreaterThan(input / 2);
    expect(cached + written).toBeLessThan(input); // the first prompts are too short to be cached
    expect(written).toBeGreaterThan(1_024);
  });
});

describe("the model's bill", () => {
  const prices = { input: 0.1, cached: 0.01, output: 0.5, written: 0.125 };
  const tokens = {
    input: 16_400,
    cached: 12_000,
    written: 3_000,
    output: 2_000,
    verdictInput: 8_000,
    verdictOutput: 200,
  };

  test("is the number of tokens times their price, with and without the cache, and verdicts for a part of the chats", () => {
    const [uncached, cached, verdicts] = modelItems(1_000_000, tokens, prices);
    expect(uncached?.dollars).toBeCloseTo(1_640 * 0.1 + 200 * 0.5);
    expect(cached?.dollars).toBeCloseTo(140 * 0.1 + 1_200 * 0.01 + 300 * 0.125 + 200 * 0.5);
    expect(verdicts?.dollars).toBeCloseTo(0.05 * (800 * 0.1 + 20 * 0.5));
  });

  test("for an hour at the concurrency limit grows with the limit", () => {
    const hour = (ceiling: number) => hourAtCeiling(ceiling, counts("staging"), tokens, prices);
    expect(hour(200)).toBeCloseTo(hour(20) * 10, 0);
    expect(hour(20)).toBeGreaterThan(1);
  });
});
