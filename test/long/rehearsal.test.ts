import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CloudFormationClient, GetTemplateCommand, ListStackResourcesCommand } from "@aws-sdk/client-cloudformation";
import {
  CloudTrailClient,
  CreateTrailCommand,
  PutEventSelectorsCommand,
  StartLoggingCommand,
} from "@aws-sdk/client-cloudtrail";
import { CloudWatchClient, PutMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { DynamoDBClient, ListTablesCommand, UpdateContinuousBackupsCommand } from "@aws-sdk/client-dynamodb";
import { EnableKeyRotationCommand, KMSClient, ListKeysCommand } from "@aws-sdk/client-kms";
import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ListTopicsCommand, SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { erasureKey, patientKey, phoneIndexKey, phoneLockKey } from "../../shared/dynamo/keys.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { stackNames } from "../../tools/aws/stack.ts";
import { startMoto } from "../helpers/moto/moto.ts";
import { Template } from "../helpers/template/template.ts";

const script = (path: string) => join(import.meta.dirname, "../../tools", path);
const { data: DATA, service: SERVICE } = stackNames("dev");
const TENANT = tenantNamed("clinic");
const KEY = /^[0-9a-f]{64}\n$/;

const moto = await startMoto();
const template = new Template(process.env.TEST_CLOUD_ASSEMBLY ?? "");
const tables = template.ofType("AWS::DynamoDB::Table");
const patientsId = tables.find(([id]) => id.startsWith("TablesPatients"))?.[0] ?? "";

/** What of the data stack moto's CloudFormation can create: the keys, without tags and policy, and the tables. */
function copyOfData(): Record<string, object> {
  const keys = template.ofType("AWS::KMS::Key").map(([id, { Type }]) => [id, { Type, Properties: { KeyPolicy: {} } }]);
  return Object.fromEntries([...keys, ...tables]);
}

/** What of the service stack moto's CloudFormation can create: the topics. */
function copyOfService(): Record<string, object> {
  return Object.fromEntries(template.ofType("AWS::SNS::Topic").map(([id, { Type }]) => [id, { Type, Properties: {} }]));
}

if ("missing" in moto) {
  process.stderr.write(`The rehearsal was skipped: ${moto.missing}.\n`);
  test.skip("keys, restore and deploy are rehearsed against moto", () => {});
} else {
  const secrets = new SecretsManagerClient(moto.client);
  const cloudFormation = new CloudFormationClient(moto.client);
  const dynamoDb = new DynamoDBClient(moto.client);
  const documents = DynamoDBDocumentClient.from(dynamoDb);
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rehearsal-"));
  });
  afterAll(async () => {
    await moto.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Writes a template of these resources. */
  const write = (name: string, Resources: object) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify({ Resources }));
    return path;
  };
  /** Runs `npm run deploy`, and returns the changes that CloudFormation was asked to make. */
  const deploy = async ({ data = copyOfData(), service = copyOfService() }, ...args: string[]) => {
    const env = {
      CDK_APP: `${process.execPath} ${join(import.meta.dirname, "../helpers/moto/cdk-app.ts")}`,
      CDK_DISABLE_CLI_TELEMETRY: "true",
      REHEARSED_DATA: write("data", data),
      REHEARSED_SERVICE: write("service", service),
    };
    const before = moto.calls.length;
    const run = await moto.run(script("deploy/deploy.ts"), [...args, "--require-approval", "never"], env);
    return { ...run, changes: moto.calls.slice(before).filter((call) => /^(Execute|Update)/.test(call)) };
  };
  const deployed = async (StackName: string) => {
    const { TemplateBody = "{}" } = await cloudFormation.send(new GetTemplateCommand({ StackName }));
    return Object.keys(parse(TemplateBody).Resources);
  };
  const renamed = (id: string) => {
    const { [id]: resource = {}, ...others } = copyOfData();
    return { ...others, Renamed: resource };
  };

  describe("npm run deploy", () => {
    test("creates the data without protection first, then protects it, and then creates the service", async () => {
      const { code, changes } = await deploy({});
      expect({ code, changes }).toEqual({
        code: 0,
        changes: ["ExecuteChangeSet", "UpdateTerminationProtection", "ExecuteChangeSet"],
      });
      expect(await deployed(DATA)).toContain(patientsId);
      expect(await deployed(SERVICE)).toEqual(Object.keys(copyOfService()));
    });

    test("neither protects data whose creation failed nor creates the service", async () => {
      const failing = {
        Topic: { Type: "AWS::SNS::Topic", Properties: { TopicName: { "Fn::GetAtt": ["None", "Arn"] } } },
      };
      expect(await deploy({ data: failing }, "-c", "stage=prod")).toMatchObject({
        code: 1,
        changes: ["ExecuteChangeSet"],
      });
    });

    test("executes the change set of an update that loses nothing; without changes, there is nothing to execute", async () => {
      const queue = { Queue: { Type: "AWS::SQS::Queue", Properties: {} } };
      const withQueue = { service: { ...copyOfService(), ...queue } };
      expect(await deploy(withQueue)).toMatchObject({ code: 0, changes: expect.arrayContaining(["ExecuteChangeSet"]) });
      expect(await deployed(SERVICE)).toContain("Queue");
      const again = await deploy(withQueue);
      expect(again.code).toBe(0);
      expect(again.changes).not.toContain("ExecuteChangeSet");
    });

    test("refuses a change set that replaces the patients table, says what would be lost, and changes nothing", async () => {
      const { code, stderr, changes } = await deploy({ data: renamed(patientsId) });
      expect(code).toBe(1);
      expect(stderr).toContain(
        `The Table ${patientsId} would be removed: the service would no longer find any item in this table, such as patients' ` +
          `records.\nNothing was changed in ${DATA}. If the loss is intended, add --allow-loss ${patientsId}.\n`,
      );
      expect(changes).not.toContain("ExecuteChangeSet");
      expect(await deployed(DATA)).toContain(patientsId);
    });

    test("executes it if the loss is allowed by name", async () => {
      const quotas = tables.find(([id]) => id.startsWith("TablesQuotas"))?.[0] ?? "";
      expect(await deploy({ data: renamed(quotas) }, "--allow-loss", quotas)).toMatchObject({ code: 0 });
      expect(await deployed(DATA)).toContain("Renamed");
    });
  });

  describe("npm run keys", () => {
    const keys = (...args: string[]) => moto.run(script("keys/keys.ts"), args);
    const stored = async (VersionStage = "AWSCURRENT") =>
      JSON.parse((await secrets.send(new GetSecretValueCommand({ SecretId: "dev", VersionStage }))).SecretString ?? "");

    /** Creates a secret as the stack does, under another name. */
    const create = (Name: string, tags: Record<string, string>, description = "API keys") => {
      const secret = template.one("AWS::SecretsManager::Secret", ({ Description }) =>
        Description.startsWith(description),
      );
      const { Description, Tags: own } = secret[1].Properties;
      const Tags = own.map(({ Key, Value }: { Key: string; Value: string }) => ({
        Key,
        Value: tags[Key] ?? Value,
      }));
      const SecretString = '{"default":"key-of-default"}';
      return secrets.send(new CreateSecretCommand({ Name, Description, Tags, SecretString }));
    };
    beforeAll(async () => {
      await create("model", {}, "Key of the model");
      await create("prod", { stage: "prod" });
      await create("other", { service: "other" });
      await create("dev", {});
    });

    test("adds, rotates and revokes a client's keys in the secret of its stage", async () => {
      const added = await keys("add", "--client", "clinic", "--stage", "dev");
      expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(KEY) });
      const first = added.stdout.trim();
      expect(await stored()).toEqual({ default: "key-of-default", clinic: first });

      const second = (await keys("rotate", "--client", "clinic", "--stage", "dev")).stdout.trim();
      expect(await stored()).toMatchObject({ clinic: [second, first] });
      const listed = await keys("list", "--stage", "dev");
      expect(listed.stdout).toBe("default  one key\nclinic   overlap: the new and the previous key both work\n");
      await keys("end-overlap", "--client", "clinic", "--stage", "dev");
      expect(await stored()).toMatchObject({ clinic: second });

      const revoked = await keys("revoke", "--client", "clinic", "--stage", "dev");
      expect(revoked).toMatchObject({ code: 0, stdout: "" });
      expect(await stored()).toEqual({ default: "key-of-default" });
      expect(await stored("AWSPREVIOUS")).toMatchObject({ clinic: second });
      expect(added.stderr + listed.stdout + revoked.stderr).not.toMatch(new RegExp(`${first}|${second}`));
    });

    test("keeps the keys that several operators add at the same time", async () => {
      const names = ["one", "two", "three"];
      await Promise.all(names.map((name) => keys("add", "--client", name, "--stage", "dev")));
      expect(Object.keys(await stored()).sort()).toEqual(["default", ...names].sort());
    });

    test("says so when a stage has no secret, or two", async () => {
      const none = await keys("list", "--stage", "staging");
      expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("No secret for the stage staging") });
      await create("twin", { stage: "prod" });
      const two = await keys("list", "--stage", "prod");
      expect(two).toMatchObject({ code: 1, stderr: expect.stringContaining("--secret-id") });
    });
  });

  describe("npm run restore", () => {
    const restore = (...args: string[]) => moto.run(script("restore/restore.ts"), [...args, "--stage", "dev"]);
    const record = (id: string, phone: string) => [
      { ...patientKey(TENANT, id), ...phoneIndexKey(TENANT, phone), id, notes: "[]", phone_number: phone },
      { ...phoneLockKey(TENANT, phone), patientId: id },
    ];
    let table = "";
    beforeAll(async () => {
      const { StackResourceSummaries = [] } = await cloudFormation.send(
        new ListStackResourcesCommand({ StackName: DATA }),
      );
      table =
        StackResourceSummaries.find(({ LogicalResourceId }) => LogicalResourceId === patientsId)?.PhysicalResourceId ??
        "";
      const items = [...record("one", "15550100001"), ...record("two", "15550100002"), erasureKey(TENANT, "erased")];
      await documents.send(
        new BatchWriteCommand({ RequestItems: { [table]: items.map((Item) => ({ PutRequest: { Item } })) } }),
      );
    });

    test("drills a restore by point-in-time recovery, and deletes the copy", async () => {
      await dynamoDb.send(
        new UpdateContinuousBackupsCommand({
          TableName: table,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      );
      const { code, stdout, stderr } = await restore("--drill");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("the table has 2 patients, 2 phone locks, 1 erasures\nAll counts are correct.\n");
      expect((await dynamoDb.send(new ListTablesCommand())).TableNames).not.toContain(`${table}-drill`);
    });
  });

  describe("npm run check:account", () => {
    /** What it found, by the beginning of each check's name. */
    const check = async () => {
      const { stdout } = await moto.run(script("account/check.ts"), ["--stage", "dev"]);
      const found = [...stdout.matchAll(/^ {2}(ok {2}|FAIL) {2}(.*)$/gm)].map(([, mark = "", name = ""]) => [
        name,
        mark.trim(),
      ]);
      return { stdout, found: Object.fromEntries(found) };
    };
    const named = (found: Record<string, string>, beginning: string) =>
      Object.entries(found).find(([name]) => name.startsWith(beginning))?.[1];
    const PREPARED = [
      "The stack's KMS keys",
      "A trail reports calls to KMS",
      "Every subscription",
      "A sweep has written",
    ];

    test("finds what is missing, says what to do, and lists what remains to be checked by hand", async () => {
      const { stdout, found } = await check();
      expect(PREPARED.map((name) => named(found, name))).toEqual(PREPARED.map(() => "FAIL"));
      expect(named(found, "Both stacks are deployed completely")).toBe("ok");
      expect(named(found, "Patients can be restored")).toBe("ok");
      expect(named(found, "No alarm is on")).toBe("ok");
      expect(stdout).toMatch(/FAIL {2}A trail reports calls to KMS, .*: of 0 trails, none does\n {10}Create a trail/);
      expect(stdout).toMatch(/is not rotated\n {10}Cancel a scheduled deletion at once/);
      expect(stdout).toMatch(/To be checked by hand:\n {2}\[ \] {3}The live check passes \(--try\)\.\n/);
    });

    test("finds it once it is there", async () => {
      const kms = new KMSClient(moto.client);
      const { Keys = [] } = await kms.send(new ListKeysCommand());
      for (const { KeyId } of Keys) {
        await kms.send(new EnableKeyRotationCommand({ KeyId }));
      }
      await fetch(`${moto.client.endpoint}/trails`, { method: "PUT" }); // a bucket
      const cloudTrail = new CloudTrailClient(moto.client);
      const { TrailARN } = await cloudTrail.send(new CreateTrailCommand({ Name: "all", S3BucketName: "trails" }));
      await cloudTrail.send(new StartLoggingCommand({ Name: TrailARN }));
      await cloudTrail.send(
        new PutEventSelectorsCommand({
          TrailName: TrailARN,
          EventSelectors: [{ IncludeManagementEvents: true, ReadWriteType: "All" }],
        }),
      );
      const sns = new SNSClient(moto.client);
      const { Topics = [] } = await sns.send(new ListTopicsCommand());
      for (const { TopicArn } of Topics) {
        await sns.send(new SubscribeCommand({ TopicArn, Protocol: "email", Endpoint: "operator@example.test" }));
      }
      const Dimensions = [{ Name: "service", Value: SERVICE }];
      await new CloudWatchClient(moto.client).send(
        new PutMetricDataCommand({
          Namespace: "HealthAssistant",
          MetricData: [{ MetricName: "SweepCompleted", Value: 1, Dimensions }],
        }),
      );
      const { found } = await check();
      expect(PREPARED.map((name) => named(found, name))).toEqual(PREPARED.map(() => "ok"));
    });

    test("says that a stage is not deployed", async () => {
      const { code, stderr } = await moto.run(script("account/check.ts"), ["--stage", "staging"]);
      expect([code, stderr]).toEqual([
        1,
        "The stack health-assistant-staging-data does not exist in this account and region; deploy it first.\n",
      ]);
    });
  });
}
