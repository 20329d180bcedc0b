import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, expect, test } from "@jest/globals";
import { documentClient, openDatabase } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";

const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MARKER = "zebrafinch".repeat(200);

/** Whether any file of the database contains the marker. */
const isInFiles = () => readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(MARKER));

test("the file of the embedded database contains no deleted data once the database has stopped", async () => {
  const { tables } = readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  const database = await openDatabase(tables, folder);
  const client = documentClient(database.endpoint);
  const TableName = tables.find(({ definition }) => (definition.KeySchema as unknown[]).length === 2)?.definition
    .TableName as string;
  const keys = Array.from({ length: 50 }, (_, index) => ({ pk: `p${index}`, sk: "s" }));
  for (const Key of keys) {
    await client.send(new PutCommand({ TableName, Item: { ...Key, text: MARKER } }));
  }
  for (const Key of keys) {
    await client.send(new DeleteCommand({ TableName, Key }));
  }
  client.destroy();
  expect(isInFiles()).toBe(true);
  await database.stop();
  expect(isInFiles()).toBe(false);
  const again = await openDatabase(tables, folder);
  await again.stop();
  expect(isInFiles()).toBe(false);
});
