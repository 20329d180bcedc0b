/**
 * The baseline for the turns of `npm start`: a single `node:http` process that runs a turn with the same SDKs, database
 * engine and model. It has no authentication, validation, patients or expiry.
 */
import "../helpers/service/help-lines.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import OpenAI from "openai";
import { ulid } from "ulid";
import { CREDENTIALS, openDatabase, REGION } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { buildPrompt, toMessages } from "../../shared/chat/prompt.ts";
import { clinicOfStage } from "../../shared/clinic.ts";
import { threadKey, threadPartition, turnKey } from "../../shared/dynamo/keys.ts";
import type { Turn } from "../../shared/threads/thread.ts";
import { TENANT } from "./requests.ts";

const [assembly = "", dataDir = ""] = process.argv.slice(2);
const template = readTemplate(assembly);
const database = await openDatabase(template.tables, dataDir);
const TableName = template.tables.find(({ definition }) => definition.TableName.includes("Threads"))?.definition
  .TableName;
const dynamo = DynamoDBDocumentClient.from(
  new DynamoDBClient({ endpoint: database.endpoint, region: REGION, credentials: CREDENTIALS }),
);
const openai = new OpenAI({ apiKey: "key-of-the-model", baseURL: process.env.OPENAI_BASE_URL });

let lastThreadId = 10_000;

async function createThread() {
  const threadId = String(lastThreadId++);
  const Item = { ...threadKey(TENANT, threadId), generation: ulid(), messageCount: 0 };
  await dynamo.send(new PutCommand({ TableName, Item }));
  return { success: true, threadId };
}

async function chat({ threadId, message }: { threadId: string; message: string }) {
  const { Items = [] } = await dynamo.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: "pk = :thread",
      ExpressionAttributeValues: { ":thread": threadPartition(TENANT, threadId) },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 11,
    }),
  );
  const [thread, ...turns] = Items;
  const { prompt } = buildPrompt(
    clinicOfStage(),
    {},
    toMessages(turns.reverse() as Turn[]),
    message,
    undefined,
    32_000,
  );
  const completion = await openai.chat.completions.create({ model: "scripted", messages: prompt, store: false });
  const answer = completion.choices[0]?.message.content;
  const messageCount = thread?.messageCount + 2;
  const Update = {
    TableName,
    Key: threadKey(TENANT, threadId),
    UpdateExpression: "SET messageCount = :count, lastActivity = :now",
    ConditionExpression: "messageCount = :read",
    ExpressionAttributeValues: {
      ":count": messageCount,
      ":read": thread?.messageCount,
      ":now": new Date().toISOString(),
    },
  };
  const key = turnKey(TENANT, threadId, thread?.generation, thread?.messageCount / 2);
  const parts = [{ kind: "words", text: answer }];
  const Put = { TableName, Item: { ...key, question: message, parts } };
  await dynamo.send(new TransactWriteCommand({ TransactItems: [{ Update }, { Put }] }));
  return { success: true, response: answer, threadId, messageCount };
}

const server = createServer(async (request, response) => {
  const body = await json(request);
  const result = request.url === "/threads" ? await createThread() : await chat(body as Parameters<typeof chat>[0]);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(result));
});
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once("message", async () => {
  await database.stop();
  process.exit(0);
});
