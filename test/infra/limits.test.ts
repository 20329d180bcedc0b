import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { limitsOf } from "../../tools/limits/limits-of.ts";
import { KINDS, stageAssemblies } from "../helpers/template/stages.ts";

const assemblies = await stageAssemblies();

describe.each(KINDS)("a stack of the kind %s", (kind) => {
  const folder = join(assemblies, kind);
  const file = readdirSync(folder).find((name) => name.endsWith(".template.json")) ?? "";
  const text = readFileSync(join(folder, file), "utf8");

  test("stays within AWS's documented limits, with a margin", () => {
    const limits = limitsOf(JSON.parse(text), Buffer.byteLength(text));
    expect(limits.length).toBeGreaterThan(15);
    const exceeded = limits.filter(({ value, most }) => value > most).map(({ limit, where }) => `${limit}: ${where}`);
    expect(exceeded).toEqual([]);
    expect(limits.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
  });
});

describe("the limit check", () => {
  const statement = { Effect: "Allow", Action: "dynamodb:GetItem", Resource: { "Fn::GetAtt": ["Table", "Arn"] } };
  const role = (statements: number) => ({
    Type: "AWS::IAM::Policy",
    Properties: { Roles: [{ Ref: "Role" }], PolicyDocument: { Statement: Array(statements).fill(statement) } },
  });
  const closeness = (limit: string, ...resources: object[]) =>
    limitsOf({ Resources: Object.fromEntries(resources.map((resource, index) => [`R${index}`, resource])) } as never, 0)
      .filter((row) => row.limit === limit)
      .map(({ value, most, where }) => ({ value, most, where }))[0];

  test("adds up the policies of a role and counts references as ARNs", () => {
    const limit = "characters of all inline policies of a role";
    const [one, two] = [closeness(limit, role(1)), closeness(limit, role(30), role(30))];
    expect(one?.value).toBeGreaterThan(200);
    expect(one).toMatchObject({ most: 10_240, where: "Role" });
    expect(two?.value).toBeGreaterThan(two?.most ?? 0);
  });

  test("counts an alarm's metrics but not its expressions", () => {
    const alarm = {
      Type: "AWS::CloudWatch::Alarm",
      Properties: {
        EvaluationPeriods: 3,
        Metrics: [{ Expression: "a + b", Period: 300 }, ...Array(11).fill({ MetricStat: { Period: 300 } })],
      },
    };
    expect(closeness("metrics of an alarm", alarm)).toEqual({ value: 11, most: 10, where: "R0" });
    expect(closeness("seconds that an alarm looks back", alarm)?.value).toBe(900);
  });

  test("counts resources", () => {
    const many = Array.from({ length: 501 }, () => ({ Type: "AWS::SNS::Topic", Properties: {} }));
    expect(closeness("resources in a template", ...many)).toMatchObject({ value: 501, most: 500 });
  });
});
