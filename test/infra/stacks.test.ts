import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readTemplates } from "../../local/cloud-assembly.ts";
import { KINDS, stageAssemblies } from "../helpers/template/stages.ts";
import { flat, type Properties, Template } from "../helpers/template/template.ts";

const folder = await stageAssemblies();

/** The types of what must survive. */
const HOLDING = [
  "AWS::DynamoDB::Table",
  "AWS::KMS::Key",
  "AWS::SecretsManager::Secret",
  "AWS::Backup::BackupVault",
  "AWS::S3::Bucket",
  "AWS::CloudTrail::Trail",
];

describe.each(KINDS)("the stacks of the kind %s", (kind) => {
  const data = new Template(join(folder, kind), (stack) => stack.endsWith("-data"));
  const service = new Template(join(folder, kind), (stack) => !stack.endsWith("-data"));

  test("are one for what must survive, and one that can be deleted and created again", () => {
    expect(HOLDING.flatMap((type) => service.ofType(type))).toEqual([]);
    const code = /^AWS::(Lambda|ApiGateway|CloudWatch|Events|CodeDeploy|SNS|WAFv2|Logs)::/;
    expect(Object.values(data.resources).filter(({ Type }) => code.test(Type))).toEqual([]);
  });

  test("never block an update of each other: no exports, no references to the service, no key policy that names a role", () => {
    const stacks = [...readTemplates(join(folder, kind))].map(([name]) => name);
    expect(stacks).toEqual([expect.stringMatching(/-data$/), expect.not.stringMatching(/-data$/)]);
    const text = JSON.stringify([data.outputs, data.resources, service.resources]);
    expect(text).not.toMatch(/"Export"|Fn::ImportValue/);
    const inData = Object.keys(data.resources);
    const references = [...JSON.stringify(data.resources).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g)];
    expect(references.map(([, id = ""]) => id).filter((id) => !inData.includes(id))).toEqual([]);
    const principals = data
      .all("AWS::KMS::Key")
      .flatMap(({ KeyPolicy }) =>
        KeyPolicy.Statement.map(({ Principal }: Properties) => flat(Object.values(Principal)[0])),
      );
    expect([...new Set(principals)]).toEqual([
      "arn:<AWS::Partition>:iam::<AWS::AccountId>:root",
      "logs.<AWS::Region>.amazonaws.com",
    ]);
  });

  test("publish all data, so that the service of an earlier commit finds what it uses", () => {
    const published = Object.values(data.outputs).map(({ Value }) => JSON.stringify(Value));
    const missing = HOLDING.slice(0, 4).flatMap((type) =>
      data.ofType(type).filter(([id]) => !published.some((value) => value.includes(`"${id}"`))),
    );
    expect(missing).toEqual([]);
  });

  test("leave nothing behind whose name the next service would need", () => {
    const left = Object.entries(service.resources).filter(([, { DeletionPolicy = "" }]) =>
      /^Retain/.test(DeletionPolicy),
    );
    const named = left.flatMap(([, { Properties }]) => Properties.LogGroupName ?? Properties.Name ?? []);
    // The execution log's name contains the ID of the API, which is another one each time.
    expect(named.map(flat).filter((name) => !/^API-Gateway-Execution-Logs_<ApiRestApi\w+>/.test(name))).toEqual([]);
    expect([...new Set(left.map(([, { Type }]) => Type))].sort()).toEqual(
      expect.arrayContaining(["AWS::Lambda::Version"]),
    );
  });
});
