import { execFile } from "node:child_process";
import { join } from "node:path";
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { CREDENTIALS, REGION } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { erasureKey, lookupKey, patientKey, phoneLockKey } from "../../shared/dynamo/keys.ts";
import { lookupOfName } from "../../shared/patients/lookups.ts";
import { verify } from "../../tools/restore/verify.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

const SCRIPT = join(import.meta.dirname, "../../tools/restore/restore.ts");
const BACKUP = "restored-from-a-backup";
const definition = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "").tables.find(({ definition: { TableName } }) =>
  TableName.startsWith("TablesPatients"),
)?.definition as CreateTableCommandInput & { TableName: string };
const PATIENTS = definition.TableName;

let service: TestService;
let database: DynamoDBDocumentClient;
beforeAll(async () => {
  service = await startTestService();
  const client = new DynamoDBClient({
    endpoint: service.dynamoDbEndpoint,
    region: REGION,
    credentials: CREDENTIALS,
  });
  database = DynamoDBDocumentClient.from(client);
  await client.send(new CreateTableCommand({ ...definition, TableName: BACKUP }));
});
afterAll(() => service.stop());

/** Runs `npm run restore` against the local service's database. */
function restore(...args: string[]): Promise<{ code: number; output: string }> {
  const env = {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    PATH: process.env.PATH,
  };
  const where = ["--endpoint", service.dynamoDbEndpoint, "--from", BACKUP, "--to", PATIENTS];
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...where, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

const BORN = "1980-01-02";

async function create(name: string, phone_number: string): Promise<string> {
  const { body } = await service.call("POST", "/patients", { body: { name, phone_number, birth_date: BORN } });
  return body.patient.id;
}

const lose = async (...keys: { pk: string }[]) => {
  for (const Key of keys) {
    await database.send(new DeleteCommand({ TableName: PATIENTS, Key }));
  }
};
const patient = (id: string) => patientKey(LOCAL_TENANT, id);
const lookup = (id: string, name: string) => lookupKey(LOCAL_TENANT, id, lookupOfName(name, BORN));
const lock = (phoneNumber: string) => phoneLockKey(LOCAL_TENANT, phoneNumber);
const erasure = (id: string) => erasureKey(LOCAL_TENANT, id);
const status = async (id: string) => (await service.call("GET", `/patients/${id}`)).status;

test("patients, phone locks and erasures are restored into a running service; erased patients are not", async () => {
  const lost = await create("Lost Example", "5550100001");
  const erased = await create("Erased Example", "5550100002");
  const kept = await create("Kept Example", "5550100003");
  await database.send(new PutCommand({ TableName: PATIENTS, Item: erasure("before-the-backup") }));

  const { Items = [] } = await database.send(new ScanCommand({ TableName: PATIENTS }));
  for (const Item of Items) {
    await database.send(new PutCommand({ TableName: BACKUP, Item }));
  }

  await lose(patient(lost), lock("15550100001"), lookup(lost, "Lost Example"), erasure("before-the-backup"));
  await lose(patient(erased), lock("15550100002"), lookup(erased, "Erased Example"));
  await database.send(new PutCommand({ TableName: PATIENTS, Item: erasure(erased) }));
  const later = await create("Later Example", "5550100004");

  expect((await verify(database, BACKUP, PATIENTS)).faults).toEqual([
    ...["1 patients are missing", "1 phone locks are missing", "1 look-ups are missing", "1 erasures are missing"],
  ]);
  const { code, output } = await restore();
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain("patients: 3 found, 1 written, 1 already there, 1 erased since\n");
  expect(output).toContain("phone locks: 3 found, 1 written, 1 already there, 1 erased since\n");
  expect(output).toContain("look-ups: 3 found, 1 written, 1 already there, 1 erased since\n");
  expect(output).toContain("erasures: 1 found, 1 written, 0 already there, 0 erased since\n");
  expect(output).toContain(
    "the table has 3 patients, 3 phone locks, 3 look-ups, 2 erasures\nAll counts are correct.\n",
  );
  expect(output).toMatch(/^read the formats and the erasures: \d+\.\d s\ncopy: \d+\.\d s\n/);
  expect(output).toMatch(/\nverify: \d+\.\d s\n/);
  expect(output).not.toMatch(/Example|5550100|[0-9a-f]{8}-/);

  expect([await status(lost), await status(erased), await status(kept), await status(later)]).toEqual([
    200, 404, 200, 200,
  ]);
  const again = { body: { name: "Another", phone_number: "5550100001" } };
  expect((await service.call("POST", "/patients", again)).status).toBe(409);

  const second = await restore();
  expect(second.output).toContain("patients: 3 found, 0 written, 2 already there, 1 erased since\n");
  expect(second.code).toBe(0);
});

test("existing items change only with --overwrite", async () => {
  const id = await create("Newer Example", "5550100005");
  const { Item } = await database.send(new GetCommand({ TableName: PATIENTS, Key: patient(id) }));
  await database.send(new PutCommand({ TableName: BACKUP, Item: { ...Item, name: "Older Example" } }));
  const name = async () => (await service.call("GET", `/patients/${id}`)).body.patient.name;
  await restore();
  expect(await name()).toBe("Newer Example");
  await restore("--overwrite");
  expect(await name()).toBe("Older Example");
});

test("an inconsistent table is reported with counts and the exit code", async () => {
  const orphan = await create("Orphan Example", "5550100009");
  await lose(lock("15550100009"));
  const robbed = await create("Robbed Example", "5550100011");
  await database.send(new PutCommand({ TableName: PATIENTS, Item: { ...lock("15550100010"), patientId: "nobody" } }));
  await database.send(new PutCommand({ TableName: PATIENTS, Item: { ...lock("15550100011"), patientId: orphan } }));
  await database.send(new PutCommand({ TableName: PATIENTS, Item: erasure(robbed) }));
  const { code, output } = await restore();
  expect(code).toBe(1);
  expect(output).toContain(
    "Wrong: 1 erased patients are back; 2 patients have no phone lock of their own; 1 phone locks belong to nobody.\n",
  );
  for (const id of [orphan, robbed]) {
    expect(output).not.toContain(id);
  }
});

test.each([
  ["of a later format", { ...patient("later-id"), id: "later-id", notes: "[]", format: 2 }, "1 with the format 2"],
  ["with keys of another format", { pk: "patient#15550100020" }, "1 with another key"],
  ["with other attributes", { ...patient("other-id"), id: "other-id", notes: [] }, "1 with other attributes"],
])("items %s are reported, and nothing is restored", async (_, Item, flaw) => {
  const lost = await create("Not Restored", "5550100021");
  await database.send(new PutCommand({ TableName: BACKUP, Item: { ...patient(lost), id: lost, notes: "[]" } }));
  await lose(patient(lost), lock("15550100021"));
  await database.send(new PutCommand({ TableName: BACKUP, Item }));
  const { code, output } = await restore();
  await database.send(new DeleteCommand({ TableName: BACKUP, Key: { pk: Item.pk } }));
  await database.send(new DeleteCommand({ TableName: BACKUP, Key: patient(lost) }));
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining(`not understand: ${flaw}. It understands format 1.`),
  });
  expect(await status(lost)).toBe(404);
});

test("an invalid command line prints the usage", async () => {
  const run = await restore("--nonsense");
  expect(run.code).toBe(2);
  expect(run.output).toContain("npm run restore -- --from TABLE --stage STAGE");
});
