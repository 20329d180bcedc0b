import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { limitsOf } from "../../tools/limits/limits-of.ts";
import { KINDS, type Kind, stageAssemblies } from "../helpers/template/stages.ts";
import { Template } from "../helpers/template/template.ts";

const assemblies = await stageAssemblies();

const limitsOfKind = (kind: Kind) => limitsOf({ Resources: new Template(join(assemblies, kind)).resources });

test.each(KINDS)("a stack of the kind %s stays within AWS's documented limits", (kind) => {
  const limits = limitsOfKind(kind);
  expect(limits.length).toBeGreaterThan(3);
  // `NaN` is not within a limit either.
  expect(limits.filter(({ value, most }) => !(value <= most)).map(({ limit, where }) => `${limit}: ${where}`)).toEqual(
    [],
  );
});

describe("the limit check", () => {
  const statement = { Effect: "Allow", Action: "dynamodb:GetItem", Resource: { "Fn::GetAtt": ["Table", "Arn"] } };
  const policy = (statements: number) => ({
    Type: "AWS::IAM::Policy",
    Properties: { Roles: [{ Ref: "Role" }], PolicyDocument: { Statement: Array(statements).fill(statement) } },
  });
  const alarm = (Metrics: object[]) => ({
    Type: "AWS::CloudWatch::Alarm",
    Properties: { Metrics },
  });
  const metrics = (count: number) => Array(count).fill({ MetricStat: { Period: 300 } });
  const expressions = (count: number) => Array(count).fill({ Expression: "a + b" });
  const managed = { Statement: { ManagedRuleGroupStatement: { Name: "AWSManagedRulesCommonRuleSet" } } };

  test.each<[limit: string, value: number, where: string, resources: object[]]>([
    ["metrics of an alarm", 11, "R0", [alarm([...metrics(11), ...expressions(1)])]],
    ["expressions of an alarm", 11, "R0", [alarm([...metrics(1), ...expressions(11)])]],
    ["queries of an alarm", 21, "R0", [alarm([...metrics(10), ...expressions(11)])]],
    [
      "reserved concurrency of all functions, of a quota of 1,000",
      1_000,
      "all functions",
      [
        { Type: "AWS::Lambda::Function", Properties: { ReservedConcurrentExecutions: 400 } },
        { Type: "AWS::Lambda::Function", Properties: { ReservedConcurrentExecutions: 600 } },
      ],
    ],
    [
      "capacity units of a web ACL at the base price",
      2_100,
      "R0",
      [{ Type: "AWS::WAFv2::WebACL", Properties: { Rules: [managed, managed, managed] } }],
    ],
    [
      "bytes of a function's environment",
      4_381,
      "R0",
      [
        {
          Type: "AWS::Lambda::Function",
          Properties: {
            Environment: {
              Variables: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`V${n + 10}`, { Ref: "R1" }])),
            },
          },
        },
        { Type: "AWS::Lambda::Function" },
      ],
    ],
    // Each statement is about 200 characters, because a reference counts as a long ARN.
    ["characters of all inline policies of a role", 12_690, "Role", [policy(30), policy(30)]],
  ])("notices too many %s", (limit, value, where, resources) => {
    const template = { Resources: Object.fromEntries(resources.map((resource, index) => [`R${index}`, resource])) };
    const [found] = limitsOf(template as never).filter((row) => row.limit === limit);
    expect(found).toMatchObject({ value, where });
    expect(found?.most).toBeLessThan(value);
  });
});
