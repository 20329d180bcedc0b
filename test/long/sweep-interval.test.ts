import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { runWithCdk, stageAssemblies } from "../helpers/template/stages.ts";
import { flat, Template, target } from "../helpers/template/template.ts";

/** Changes the constant, in every file that imports it. */
const WITH_INTERVAL = (seconds: number) => `
  import { registerHooks } from "node:module";
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith("/shared/threads/thread.ts")) return loaded;
      const source = String(loaded.source).replace(/(SWEEP_INTERVAL_SECONDS = ).*;/, "$1${seconds};");
      return { ...loaded, source };
    },
  });
`;

const folder = mkdtempSync(join(tmpdir(), "sweep-"));
await stageAssemblies(); // for their bundles
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Synthesizes staging with another interval. */
const synthesizeWith = (seconds: number) =>
  runWithCdk("synthesize-stages.ts", [folder, JSON.stringify({ staging: { stage: "staging" } })], {
    CDK_VALIDATION: "false",
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(WITH_INTERVAL(seconds))}`,
  });

describe("with a sweep every five minutes", () => {
  let template: Template;
  beforeAll(async () => {
    await synthesizeWith(300);
    template = new Template(join(folder, "staging"));
  });
  const alarm = (name: string) =>
    template.only("AWS::CloudWatch::Alarm", ({ AlarmName }) => AlarmName.endsWith(`-${name}`));

  test("the schedule, the function's time limit and its retries follow", () => {
    const { Targets, ScheduleExpression } = template.only("AWS::Events::Rule", ({ Targets: [first] }) =>
      String(first?.Input).includes('"part":0'),
    );
    expect(ScheduleExpression).toBe("cron(0/5 * * * ? *)");
    expect(Targets[0].RetryPolicy.MaximumEventAgeInSeconds).toBe(300);
    const live = template.properties(target(Targets[0].Arn));
    const { Timeout, Environment } = template.properties(target(live.FunctionName));
    expect(Timeout).toBe(270);
    expect(Environment.Variables.SWEEP_INTERVAL_SECONDS).toBe("300");
    const retries = template.only(
      "AWS::Lambda::EventInvokeConfig",
      ({ FunctionName }) => target(FunctionName) === target(live.FunctionName),
    );
    expect(retries.MaximumEventAgeInSeconds).toBe(300);
  });

  test("the alarms look at intervals of five minutes, and say so", () => {
    const missing = alarm("sweep-missing");
    expect(flat(missing.Metrics)).toContain('"Period":300');
    expect(missing.AlarmDescription).toMatch(/^For 15 minutes, /);
    expect(alarm("sweep-late")).toMatchObject({ Period: 300, Threshold: 900, EvaluationPeriods: 3 });
    expect(alarm("sweep-late").AlarmDescription).toMatch(/^For 10 minutes out of 15 minutes, .* 15 minutes after/);
  });

  test("nothing about the sweep still has an interval of ten minutes", () => {
    const ofSweep = Object.entries(template.resources).filter(([id]) => /sweep/i.test(id));
    const left = ofSweep.filter(([, resource]) => /\b600\b|0\/10\b|every 10 ?minutes/i.test(JSON.stringify(resource)));
    expect(left.map(([id]) => id)).toEqual([]);
    expect(flat(template.only("AWS::CloudWatch::Dashboard").DashboardBody)).toContain("complete every 5 minutes");
  });
});

test("an interval that does not divide an hour is refused, since threads would be due at other times", async () => {
  await expect(synthesizeWith(420)).rejects.toThrow("SWEEP_INTERVAL_SECONDS is 420; it must be");
});
