import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CloudFormationClient,
  DeleteStackCommand,
  GetTemplateCommand,
  ListStackResourcesCommand,
} from "@aws-sdk/client-cloudformation";
import {
  CloudTrailClient,
  CreateTrailCommand,
  PutEventSelectorsCommand,
  StartLoggingCommand,
} from "@aws-sdk/client-cloudtrail";
import { CloudWatchClient, PutMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import {
  CreateBackupCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateContinuousBackupsCommand,
} from "@aws-sdk/client-dynamodb";
import { EnableKeyRotationCommand, KMSClient, ListKeysCommand } from "@aws-sdk/client-kms";
import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ListTopicsCommand, SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import {
  erasureKey,
  lookupIndexKey,
  lookupKey,
  patientKey,
  phoneIndexKey,
  phoneLockKey,
} from "../../shared/dynamo/keys.ts";
import { tenantNamed } from "../../shared/tenant.ts";
import { stackNames } from "../../tools/aws/stack.ts";
import { startMoto } from "../helpers/moto/moto.ts";
import { type Properties, Template } from "../helpers/template/template.ts";

const script = (path: string) => join(import.meta.dirname, "../../tools", path);
const { data: DATA, service: SERVICE } = stackNames("dev");
const TENANT = tenantNamed("clinic");
const KEY = /^[0-9a-f]{64}\n$/;
/** Each deployment takes some ten seconds of computing; REHEARSAL=short leaves out a release taken back. */
const describeUnlessShort = process.env.REHEARSAL === "short" ? describe.skip : describe;
const WORKFLOW = join(import.meta.dirname, "../../.github/workflows/deploy-stage.yml");
const DEPLOY_STEP = parse(readFileSync(WORKFLOW, "utf8")).jobs.deploy.steps.find(
  ({ name }: { name?: string }) => name === "Deploy",
);

const moto = await startMoto();
const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = new Template(assembly);
const tables = template.ofType("AWS::DynamoDB::Table");
const patientsId = tables.find(([id]) => id.startsWith("TablesPatients"))?.[0] ?? "";

/** A template's resources and outputs. */
interface Copy {
  Resources: Record<string, object>;
  Outputs?: Record<string, object>;
}

/** A stack's template as it was synthesized, where the service still refers to outputs of the data. */
const written = (stack: string): Copy => JSON.parse(readFileSync(join(assembly, `${stack}.template.json`), "utf8"));

/** What of the data stack moto's CloudFormation can create: the keys, without tags and policy, and the tables. */
function copyOfData(more: Record<string, object> = {}, moreOutputs: Record<string, object> = {}): Copy {
  const keys = template.ofType("AWS::KMS::Key").map(([id, { Type }]) => [id, { Type, Properties: { KeyPolicy: {} } }]);
  const Resources = { ...Object.fromEntries([...keys, ...tables]), ...more };
  const outputs = Object.entries(written(DATA).Outputs ?? {}).filter(([, value]) =>
    Object.keys(Resources).some((id) => JSON.stringify(value).includes(`"${id}"`)),
  );
  return { Resources, Outputs: { ...Object.fromEntries(outputs), ...moreOutputs } };
}

/** What of the service stack moto's CloudFormation can create: the topics, and a function's rights to data. */
function copyOfService(more: Record<string, object> = {}): Copy {
  const topics = template.ofType("AWS::SNS::Topic").map(([id, { Type }]) => [id, { Type, Properties: {} }]);
  const rights = Object.entries(written(SERVICE).Resources)
    .filter(([id]) => id.startsWith("ApiGetPatientRole"))
    .map(
      ([
        id,
        {
          Type,
          Properties: { PolicyDocument, Tags: _, ...others },
        },
      ]: [string, Properties]) => {
        const ofTables = PolicyDocument?.Statement.filter((each: object) => /Table"/.test(JSON.stringify(each)));
        return [
          id,
          {
            Type,
            Properties: { ...others, ...(ofTables && { PolicyDocument: { ...PolicyDocument, Statement: ofTables } }) },
          },
        ];
      },
    );
  return { Resources: { ...Object.fromEntries([...topics, ...rights]), ...more } };
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

  const write = (name: string, copy: Copy) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(copy));
    return path;
  };
  /** What makes the CDK deploy these copies. */
  const environmentOf = ({ data = copyOfData(), service = copyOfService() }: { data?: Copy; service?: Copy }) => ({
    CDK_APP: `${process.execPath} ${join(import.meta.dirname, "../helpers/moto/cdk-app.ts")}`,
    CDK_DISABLE_CLI_TELEMETRY: "true",
    REHEARSED_DATA: write("data", data),
    REHEARSED_SERVICE: write("service", service),
  });
  /** Runs `npm run deploy`, and returns the changes that CloudFormation was asked to make. */
  const deploy = async (copies: { data?: Copy; service?: Copy }, ...args: string[]) => {
    const before = moto.calls.length;
    const run = await moto.run(
      script("deploy/deploy.ts"),
      [...args, "--require-approval", "never"],
      environmentOf(copies),
    );
    return { ...run, changes: moto.calls.slice(before).filter((call) => /^(Execute|Update)/.test(call)) };
  };
  /** Runs the command with which the pipeline deploys a stage, and returns the changes that CloudFormation was asked to make. */
  const deployByWorkflow = async (copies: { data?: Copy; service?: Copy }, inputs: Record<string, string> = {}) => {
    const step = { STAGE: "dev", GITHUB_SHA: "0".repeat(40), ALLOW_LOSS: "", SERVICE_ONLY: "false", ...inputs };
    const before = moto.calls.length;
    const run = await moto.runShell(DEPLOY_STEP.run, { ...environmentOf(copies), ...step });
    return { ...run, changes: moto.calls.slice(before).filter((call) => /^(Execute|Update)/.test(call)) };
  };
  const deployed = async (StackName: string) => {
    const { TemplateBody = "{}" } = await cloudFormation.send(new GetTemplateCommand({ StackName }));
    return Object.keys(parse(TemplateBody).Resources);
  };
  /** The name of a stage's table of patients. */
  const patientsOf = async (StackName: string) => {
    const { StackResourceSummaries = [] } = await cloudFormation.send(new ListStackResourcesCommand({ StackName }));
    return StackResourceSummaries.find(({ LogicalResourceId }) => LogicalResourceId === patientsId)?.PhysicalResourceId;
  };
  /** The statements of the service's policies, as they were deployed. */
  const rights = async () => {
    const { TemplateBody = "{}" } = await cloudFormation.send(new GetTemplateCommand({ StackName: SERVICE }));
    return JSON.stringify(parse(TemplateBody).Resources);
  };
  const record = (id: string, phone: string) => [
    { ...patientKey(TENANT, id), ...phoneIndexKey(TENANT, phone), id, notes: "[]", phone_number: phone },
    { ...phoneLockKey(TENANT, phone), patientId: id },
    { ...lookupKey(TENANT, id, "a-hash"), ...lookupIndexKey(TENANT, "a-hash"), patientId: id },
  ];

  test("npm run check:account says that a stage is not deployed", async () => {
    const { code, stderr } = await moto.run(script("account/check.ts"), ["--stage", "staging"]);
    expect([code, stderr]).toEqual([
      1,
      "The stack health-assistant-staging-data does not exist in this account and region; deploy it first.\n",
    ]);
  });

  describe("npm run deploy", () => {
    const FAILING = {
      Topic: { Type: "AWS::SNS::Topic", Properties: { TopicName: { "Fn::GetAtt": ["None", "Arn"] } } },
    };
    const MORE = { More: { Type: "AWS::SNS::Topic", Properties: {} } };

    test("creates the data without protection first, then protects it, and then creates the service", async () => {
      const { code, changes } = await deploy({});
      expect({ code, changes }).toEqual({
        code: 0,
        changes: ["ExecuteChangeSet", "UpdateTerminationProtection", "ExecuteChangeSet"],
      });
      expect(await deployed(DATA)).toContain(patientsId);
      expect(await deployed(SERVICE)).toEqual(Object.keys(copyOfService().Resources));
      expect(await rights()).toContain(`:table/",${JSON.stringify(await patientsOf(DATA))}`);
      const items = [...record("one", "15550100001"), ...record("two", "15550100002"), erasureKey(TENANT, "erased")];
      const puts = items.map((Item) => ({ PutRequest: { Item } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [(await patientsOf(DATA)) ?? ""]: puts } }));
    });

    test("neither protects data whose creation failed nor creates the service", async () => {
      expect(await deploy({ data: copyOfData(FAILING) }, "-c", "stage=prod")).toMatchObject({
        code: 1,
        changes: ["ExecuteChangeSet"],
      });
    });

    test("executes the change set of an update that loses nothing; without changes, there is nothing to execute", async () => {
      const withMore = { service: copyOfService(MORE) };
      expect(await deploy(withMore)).toMatchObject({ code: 0, changes: expect.arrayContaining(["ExecuteChangeSet"]) });
      expect(await deployed(SERVICE)).toContain("More");
      const again = await deploy(withMore);
      expect(again.code).toBe(0);
      expect(again.changes).not.toContain("ExecuteChangeSet");
    });

    test("leaves the data as it is when an update of the service fails, and returns to the service before", async () => {
      const failed = await deploy({ service: copyOfService(FAILING) });
      expect(failed.code).toBe(1);
      expect(await deployed(DATA)).toEqual(Object.keys(copyOfData().Resources));
      expect(await deploy({}, "--service-only")).toMatchObject({ code: 0 });
      expect(await deployed(SERVICE)).toEqual(Object.keys(copyOfService().Resources));
    });

    describeUnlessShort("returns from a release that added a table, a key and a secret", () => {
      const [[, table] = []] = tables;
      const added = {
        NewTable: table ?? {},
        NewKey: { Type: "AWS::KMS::Key", Properties: { KeyPolicy: {} } },
        NewSecret: { Type: "AWS::SecretsManager::Secret", Properties: { SecretString: "placeholder" } },
      };
      const name = `${DATA}:NewTable`;
      const outputs = { NewTable: { Value: { Ref: "NewTable" }, Export: { Name: name } } };
      const imports = { More: { Type: "AWS::SNS::Topic", Properties: { DisplayName: { "Fn::ImportValue": name } } } };
      const bad = { data: copyOfData(added, outputs), service: copyOfService(imports) };

      test("by a revert on main: the pipeline deploys the service before, leaves the data as they are, and says so", async () => {
        expect(await deployByWorkflow(bad)).toMatchObject({ code: 0 });
        expect(await deployed(SERVICE)).toContain("More");
        const { code, stderr, changes } = await deployByWorkflow({});
        expect(code).toBe(0);
        expect(changes.filter((call) => call === "ExecuteChangeSet")).toHaveLength(1);
        expect(stderr).toContain("The Table NewTable would be removed: the service would no longer find any item");
        expect(stderr).toMatch(/-data is left as it is, with everything in it, and only the service is deployed\./);
        expect(await deployed(SERVICE)).not.toContain("More");
        expect(await deployed(DATA)).toEqual(expect.arrayContaining(Object.keys(added)));
      });

      test("with the release again, which finds what it added, and with the pipeline's input service-only", async () => {
        expect(await deployByWorkflow(bad)).toMatchObject({ code: 0 });
        expect(await deployed(SERVICE)).toContain("More");
        expect(await deployByWorkflow({}, { SERVICE_ONLY: "true" })).toMatchObject({ code: 0 });
        expect(await deployed(SERVICE)).not.toContain("More");
        expect(await deployed(DATA)).toEqual(expect.arrayContaining(Object.keys(added)));
        expect(await deployByWorkflow(bad)).toMatchObject({ code: 0 });
      });

      test("and removes all of it if the pipeline is told to, after the service that used it", async () => {
        const [first, ...others] = Object.keys(added);
        const some = await deployByWorkflow({}, { ALLOW_LOSS: others.join(" ") });
        expect(some.code).toBe(0);
        expect(some.stderr).toMatch(new RegExp(`deploy again with --allow-loss ${first}\\.`));
        expect(await deployByWorkflow(bad)).toMatchObject({ code: 0 });
        const all = await deployByWorkflow({}, { ALLOW_LOSS: Object.keys(added).join(" ") });
        expect(all).toMatchObject({ code: 0 });
        expect(await deployed(SERVICE)).not.toContain("More");
        expect(await deployed(DATA)).toEqual(Object.keys(copyOfData().Resources));
      });
    });

    test("refuses to replace a table that the service uses, whatever is allowed, and says what to do", async () => {
      const { [patientsId]: patients = {}, ...rest } = copyOfData().Resources;
      const renamed = { Resources: { ...rest, Renamed: patients }, Outputs: copyOfData().Outputs ?? {} };
      const output = (value: string) => ({ ...written(DATA).Outputs?.PatientsTable, Value: { Ref: value } });
      const data = { ...renamed, Outputs: { ...renamed.Outputs, PatientsTable: output("Renamed") } };
      const refused = await deploy({ data });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`--allow-loss ${patientsId}.`) });
      const inUse = await deploy({ data }, "--allow-loss", patientsId);
      expect(inUse).toMatchObject({ code: 1, stderr: expect.stringContaining("Delete the service's stack") });
      expect([refused, inUse].flatMap(({ changes }) => changes)).not.toContain("ExecuteChangeSet");
      expect(await deployed(DATA)).toContain(patientsId);
    });

    test("creates a service that was deleted again, which takes up all data, and says what keeps a lost key from being noticed and survived", async () => {
      const table = await patientsOf(DATA);
      await cloudFormation.send(new DeleteStackCommand({ StackName: SERVICE }));
      const service = { ...copyOfService(), Metadata: { Settings: { alarms: true, keepsData: true } } };
      expect(await deploy({ service })).toMatchObject({
        code: 0,
        changes: expect.arrayContaining(["ExecuteChangeSet"]),
        stderr: expect.stringMatching(
          /No trail of this account reports calls to KMS.*advanced features for DynamoDB are off.*update-region-settings/s,
        ),
      });
      expect(await rights()).toContain(`:table/",${JSON.stringify(table)}`);
      const { Count } = await documents.send(new ScanCommand({ TableName: table }));
      expect(Count).toBe(7);
    });
  });

  describe("npm run keys", () => {
    const keys = (...args: string[]) => moto.run(script("keys/keys.ts"), args);
    /** What callers get; without the stage, moto returns the first version. */
    const stored = async () => {
      const current = new GetSecretValueCommand({ SecretId: "dev", VersionStage: "AWSCURRENT" });
      return JSON.parse((await secrets.send(current)).SecretString ?? "");
    };

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

    // test/long/keys.test.ts has the other commands.
    test("adds a client's key in the secret of its stage", async () => {
      const added = await keys("add", "--client", "clinic", "--stage", "dev");
      expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(KEY) });
      expect(await stored()).toEqual({ default: "key-of-default", clinic: added.stdout.trim() });
      expect(added.stderr).not.toContain(added.stdout.trim());
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
    const ROLE = ["--role", "arn:aws:iam::123456789012:role/restore", "--vault", "vault"];
    const restore = (stage: string, ...args: string[]) =>
      moto.run(script("restore/restore.ts"), [...args, ...ROLE, "--stage", stage]);
    const RESTORED = "the table has 2 patients, 2 phone locks, 2 look-ups, 1 erasures\nAll counts are correct.\n";
    let table = "";
    beforeAll(async () => {
      table = (await patientsOf(DATA)) ?? "";
      await dynamoDb.send(new CreateBackupCommand({ TableName: table, BackupName: "nightly" }));
    });
    const tableNames = async () => (await dynamoDb.send(new ListTablesCommand())).TableNames;

    test("drills a restore by point-in-time recovery and one from the vault, and deletes the copies", async () => {
      await dynamoDb.send(
        new UpdateContinuousBackupsCommand({
          TableName: table,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      );
      const { code, stdout, stderr } = await restore("dev", "--drill");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.split(RESTORED)).toHaveLength(3);
      expect(await tableNames()).not.toContain(`${table}-drill`);
    });

    test("recovers from the vault of a stage whose key is lost into another stage", async () => {
      expect(await deploy({}, "-c", "stage=staging")).toMatchObject({ code: 0 });
      const recovered = await patientsOf(stackNames("staging").data);
      const { code, stdout, stderr } = await restore("staging");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(RESTORED);
      expect(await tableNames()).not.toContain(`${recovered}-restored`);
      const { Count } = await documents.send(new ScanCommand({ TableName: recovered }));
      expect(Count).toBe(7);
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
  });
}
