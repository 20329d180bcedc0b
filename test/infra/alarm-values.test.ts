import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { SCRIPT } from "../../infra/monitoring/outside-check.ts";
import { evaluate, isOn } from "../helpers/template/metric-math.ts";
import { stageAssemblies } from "../helpers/template/stages.ts";
import { type Properties, Template } from "../helpers/template/template.ts";

const folder = await stageAssemblies();
const prod = new Template(join(folder, "prod"));
const small = new Template(join(folder, "small"));
const none = undefined;

const alarmOf = (template: Template, name: string): Properties =>
  template.only("AWS::CloudWatch::Alarm", ({ AlarmName }) => AlarmName.endsWith(`-${name}`));

describe.each([
  ["standard", prod],
  ["small", small],
])("in the profile %s, gateway-down", (_, template) => {
  const alarm = alarmOf(template, "gateway-down");

  test.each<[what: string, failed: (number | undefined)[], errors: number[], requests: number[], on: boolean[]]>([
    ["every request is throttled by Lambda", [9, 9, 9], [0, 0, 0], [9, 9, 9], [false, true, true]],
    ["a permission is gone: 5xx of the gateway only", [none, none, none], [8, 7, 9], [8, 7, 9], [false, true, true]],
    ["both together are half", [3, 3, none], [2, 2, 0], [10, 10, 10], [false, true, true]],
    ["less than half fail", [3, 3, 3], [2, 2, 2], [11, 11, 11], [false, false, false]],
    ["fewer than five fail", [none, 2, 4], [4, 2, 0], [4, 4, 4], [false, false, false]],
    ["it was one period only", [none, 50, none], [0, 50, 0], [100, 100, 100], [false, false, false]],
    ["it is every other period", [none, 50, none, 50], [50, 0, 0, 0], [50, 50, 50, 50], [false, true, true, true]],
  ])("is right when %s", (_what, failed, errors, requests, on) => {
    expect(isOn(alarm, { failed, errors, requests })).toEqual(on);
  });

  test("is off while there are no requests at all", () => {
    expect(isOn(alarm, { failed: [none, none], errors: [none, none] as never, requests: [none, none] })).toEqual([
      false,
      false,
    ]);
  });
});

test("gateway-down and its metrics stay within what an alarm can have", () => {
  const { Metrics } = alarmOf(prod, "gateway-down");
  expect(Metrics.filter(({ Expression }: Properties) => Expression)).toHaveLength(1);
  expect(Metrics).toHaveLength(4);
});

describe("slow", () => {
  const alarms = prod.all("AWS::CloudWatch::Alarm", ({ AlarmName }) => /-slow(-\d)?$/.test(AlarmName));
  const [alarm] = alarms;
  const functions = (alarm?.Metrics.length - 1) / 2;
  /** All functions of the alarm have the same requests, and all but the first are fast. */
  const series = (p95: number, requests: number | undefined) =>
    Object.fromEntries(
      Array.from({ length: functions }, (_, index) => [
        [`p${index}`, [index === 0 ? p95 : 1]],
        [`n${index}`, [requests]],
      ]).flat(),
    );

  test("leaves out a function with fewer than five requests, of which one is the p95", () => {
    expect(functions).toBeGreaterThan(2);
    expect(evaluate(alarm ?? {}, series(3_600_000, 4))[0]).toBe(0);
    expect(evaluate(alarm ?? {}, series(3_600_000, 5))[0]).toBeGreaterThan(1);
    expect(evaluate(alarm ?? {}, series(3_600_000, none))[0]).toBeUndefined();
    expect(evaluate(alarm ?? {}, series(100, 5))[0]).toBeLessThan(1);
  });

  test("watches a number of requests for each latency", () => {
    for (const { Metrics } of alarms) {
      const statistics = Metrics.flatMap(({ MetricStat }: Properties) => MetricStat?.Stat ?? []);
      const count = (statistic: string) => statistics.filter((one: string) => one === statistic).length;
      expect(count("p95")).toBe(count("SampleCount"));
    }
  });
});

describe("sweep-missing", () => {
  const alarm = alarmOf(prod, "sweep-missing");

  test.each<[what: string, completed: (number | undefined)[], runs: (number | undefined)[], on: boolean]>([
    ["the stack is created, and sweeps begin", [none, none, none, 5], [none, none, 7, 10], false],
    ["a sweep is late", [5, none, none, 5], [10, 10, 10, 10], false],
    ["sweeps stop", [5, none, none, none], [10, 10, 10, 10], true],
    ["sweeps have never run", [none, none, none, none], [7, 10, 10, 10], true],
    ["sweeps complete only four of their five parts", [5, 4, 4, 4], [10, 10, 10, 10], true],
  ])("is right when %s", (_what, completed, runs, on) => {
    const requests = completed.map(() => none);
    expect(isOn(alarm, { completed, l0: runs, l1: requests }).at(-1)).toBe(on);
  });

  test("goes off when no schedule runs any more, as long as there are requests", () => {
    const [completed, l0, l1] = [
      [none, none, none],
      [none, none, none],
      [3, 1, 2],
    ];
    expect(isOn(alarm, { completed, l0, l1 }).at(-1)).toBe(true);
  });
});

describe("backup-missing", () => {
  const alarm = alarmOf(prod, "backup-missing");

  test.each<[what: string, created: (number | undefined)[], sweeps: (number | undefined)[], on: boolean]>([
    ["the stack is created in the afternoon", [none, none], [none, 300], false],
    ["the first backup is made on the next day", [none, none, 1], [none, 300, 720], false],
    ["one backup is missing", [1, none, 1], [720, 720, 720], false],
    ["backups stop", [1, none, none], [720, 720, 720], true],
    ["there has never been one", [none, none, none], [300, 720, 720], true],
  ])("is right when %s", (_what, created, sweeps, on) => {
    expect(isOn(alarm, { created, sweeps }).at(-1)).toBe(on);
  });
});

describe("event-stream-down", () => {
  const alarm = alarmOf(prod, "event-stream-down");

  test.each<
    [what: string, delivered: number[], started: (number | undefined)[], failed: (number | undefined)[], on: boolean]
  >([
    ["the stream starts runs", [50, 50], [40, 40], [0, 1], false],
    ["the pipe is stopped", [50, 50], [none, none], [none, none], true],
    ["all its runs fail", [50, 50], [40, 40], [40, 40], true],
    ["it was stopped for a day", [50, 50], [none, 1], [none, 0], false],
    ["hardly anything happens", [4, 4], [none, none], [none, none], false],
  ])("is right when %s", (_what, delivered, started, failed, on) => {
    expect(isOn(alarm, { delivered, started, failed }).at(-1)).toBe(on);
  });
});

describe("certificate-expiring", () => {
  const alarm = alarmOf(new Template(join(folder, "domain")), "certificate-expiring");

  test.each<[what: string, left: (number | undefined)[], on: boolean]>([
    ["it is valid for long", [90, 89], false],
    ["it is renewed in time", [32, 31, 200], false],
    ["it is not renewed", [31, 30, 29], true],
    ["it has expired, and has no metric any more", [1, none, none], true],
  ])("is right when %s", (_what, left, on) => {
    expect(isOn(alarm, { left }).at(-1)).toBe(on);
  });

  test("exists only with a domain name", () => {
    expect(prod.all("AWS::CloudWatch::Alarm", ({ AlarmName }) => AlarmName.endsWith("certificate-expiring"))).toEqual(
      [],
    );
  });
});

test("with a URL of the runbook, alarms and the dashboard link to it", () => {
  const linked = new Template(join(folder, "options"));
  const link = "https://wiki.example.test/runbook#alarms";
  for (const { AlarmDescription } of linked.all("AWS::CloudWatch::Alarm")) {
    expect(AlarmDescription).toContain(` More: ${link}, `);
  }
  expect(JSON.stringify(linked.only("AWS::CloudWatch::Dashboard").DashboardBody)).toContain(`[runbook](${link})`);
  expect(JSON.stringify(linked.all("AWS::Events::Rule"))).toContain(`${link}, key-disabled`);
});

describe("the check from outside", () => {
  const template = new Template(join(folder, "domain"));

  test("reads the OpenAPI document by the custom domain name, and exists only if it is wanted", () => {
    const { RunConfig, Schedule, Code } = template.only("AWS::Synthetics::Canary");
    expect(RunConfig.EnvironmentVariables).toEqual({ URL: "https://api.example.test/health/v1/openapi.json" });
    expect([Schedule.Expression, Code.Script]).toEqual(["rate(5 minutes)", SCRIPT]);
    expect(prod.ofType("AWS::Synthetics::Canary")).toEqual([]);
  });

  test("goes off after two of three failures", () => {
    const alarm = alarmOf(template, "outside-check-failing");
    expect(isOn(alarm, { succeeded: [0, 100, 100, 0, 100, 0] })).toEqual([false, false, false, false, false, true]);
  });

  test.each<[what: string, answer: () => Response, failure: string | undefined]>([
    ["a document", () => Response.json({ openapi: "3.1.0" }), undefined],
    ["a 503", () => Response.json({ success: false }, { status: 503 }), "status 503"],
    ["another page", () => Response.json({ hello: "world" }), "not an OpenAPI document"],
  ])("is right about %s", async (_, answer, failure) => {
    const module = { exports: {} as { handler?: () => Promise<void> } };
    const environment = { env: { URL: "https://api.example.test/" } };
    new Function("exports", "process", "fetch", SCRIPT)(module.exports, environment, async () => answer());
    const run = module.exports.handler?.();
    await (failure === undefined ? expect(run).resolves.toBeUndefined() : expect(run).rejects.toThrow(failure));
  });
});
