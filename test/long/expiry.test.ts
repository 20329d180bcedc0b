import { setTimeout } from "node:timers/promises";
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { variableOf } from "../../local/service.ts";
import { documentClient } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { threadPartition } from "../../shared/dynamo/keys.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

const IDLE_SECONDS = 2;
const TableName = variableOf(readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? ""), "THREADS_TABLE");

let service: TestService;
let documents: DynamoDBDocumentClient;
beforeAll(async () => {
  service = await startTestService({ THREAD_IDLE_SECONDS: String(IDLE_SECONDS), SWEEP_INTERVAL_SECONDS: "1" });
  documents = documentClient(service.dynamoDbEndpoint);
  // so that no thread waits for a cold start
  await Promise.all([
    service.chat({ message: "hello" }),
    service.newThread(),
    service.call("GET", "/threads/10000"),
    service.call("DELETE", "/threads/10000"),
  ]);
});
afterAll(async () => {
  documents.destroy();
  await service.stop();
});

/** The number of items stored for a thread. */
async function items(threadId: string): Promise<number> {
  const { Count = 0 } = await documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": threadPartition(LOCAL_TENANT, threadId) },
      ConsistentRead: true,
    }),
  );
  return Count;
}

// test/model-based checks that each message extends the life of a thread.
test("an idle thread exists until it expires, then returns 404 and is swept from the database", async () => {
  const threadId = await service.newThread();
  await service.chat({ message: "hello", threadId });
  const expiresAt = Date.parse((await service.thread(threadId)).expiresAt);
  expect(await items(threadId)).toBe(2);

  let { status, body } = await service.call("GET", `/threads/${threadId}`);
  while (status === 200) {
    const asked = Date.now();
    ({ status, body } = await service.call("GET", `/threads/${threadId}`));
    const answered = Date.now();
    // Reading a thread does not extend its lifetime.
    expect(status).toBe(asked >= expiresAt ? 404 : answered < expiresAt ? 200 : status);
    await setTimeout(20);
  }
  expect([status, body]).toEqual([404, { error: "Thread not found or expired" }]);
  expect((await service.chat({ message: "anyone?", threadId })).status).toBe(404);
  expect((await service.call("DELETE", `/threads/${threadId}`)).status).toBe(404);

  const afterSweep = await eventually(
    () => items(threadId),
    (count) => count === 0,
  );
  expect(afterSweep).toBe(0);
});
