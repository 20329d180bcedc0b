import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { KINDS, stacksOf, stageAssemblies } from "../helpers/template/stages.ts";
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
    const holding = HOLDING.flatMap((type) => service.ofType(type));
    // The results of the check from outside hold nothing of anybody.
    expect(holding.filter(([id]) => !id.includes("OutsideCheck"))).toEqual([]);
    const code = /^AWS::(Lambda|ApiGateway|CloudWatch|Events|CodeDeploy|SNS|WAFv2|Logs)::/;
    expect(Object.values(data.resources).filter(({ Type }) => code.test(Type))).toEqual([]);
  });

  const written = Object.keys(stacksOf(join(folder, kind))).map((name) =>
    readFileSync(join(folder, kind, `${name}.template.json`), "utf8"),
  );
  const [dataName = "", serviceName = ""] = Object.keys(stacksOf(join(folder, kind)));

  test("refer to each other by exports with fixed names, which CloudFormation looks up once and not for each reference", () => {
    expect(written.filter((text) => /Fn::GetStackOutput|ExportsOutput/.test(text))).toEqual([]);
    const [exporting, importing] = written.map((text) => JSON.parse(text));
    const exported = Object.entries<Properties>(exporting.Outputs).map(([id, { Export }]) => [id, Export?.Name]);
    const ofData = exported.filter(([id]) => id !== "AuditArchive");
    expect(ofData).toEqual(ofData.map(([id]) => [id, `${dataName}:${id}`]));
    const imports = new Set(JSON.stringify(importing).match(/(?<="Fn::ImportValue":")[^"]+/g));
    expect(ofData.map(([, name]) => name)).toEqual(expect.arrayContaining([...imports]));
    expect(JSON.stringify([exporting.Resources, importing.Outputs])).not.toMatch(/"Fn::ImportValue"|"Export"/);
  });

  test("publish under the names that the services of earlier releases import", () => {
    const released = [
      ...[
        "ThreadsTable",
        "PatientsTable",
        "QuotasTable",
        "EventsTable",
        "EventsStream",
        "FeedbackTable",
        "SourcesTable",
      ],
      ...["ApiKeysSecret", "Key", "KeyId", "Vault", "BackupsKey", "BackupsKeyId"],
    ];
    expect(Object.keys(data.outputs)).toEqual(expect.arrayContaining(released));
  });

  test("leave a service free to go: the data refers to nothing in it, and no key policy names a role", () => {
    expect([dataName, serviceName]).toEqual([expect.stringMatching(/-data$/), expect.not.stringMatching(/-data$/)]);
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
