import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "@jest/globals";
import { variableOf } from "../../local/service.ts";
import { documentClient } from "../../packages/lambda-local/database.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { threadKey } from "../../shared/dynamo/keys.ts";
import { THREAD_GONE } from "../../shared/threads/thread.ts";
import { LOCAL_TENANT } from "../helpers/caller.ts";
import { echo } from "../helpers/model/scripted-model.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

describe("parallel chats on one thread", () => {
  test("all succeed, and each turn is stored whole and counted once, in commit order", async () => {
    const threadId = await service.newThread();
    // Later questions are answered faster, so that commits overtake each other.
    service.model.script = async (request) => ({
      ...(echo(request) as { content: string }),
      delayMs: 100 - 4 * Number(request.messages.at(-1)?.content),
    });
    const messages = Array.from({ length: 25 }, (_, i) => String(i));
    const replies = await Promise.all(messages.map((message) => service.chat({ message, threadId })));

    expect(replies.map(({ status }) => status)).toEqual(messages.map(() => 200));
    expect(replies.map(({ body }) => body.response)).toEqual(messages.map((message) => `answer to: ${message}`));
    const counts = replies.map(({ body }) => body.messageCount).sort((a, b) => a - b);
    expect(counts).toEqual(messages.map((_, i) => 2 * i + 2));
    expect((await service.thread(threadId)).messageCount).toBe(50);
    // A commit that loses the race is retried without another model call.
    expect(service.model.requests).toHaveLength(25);

    const committed = messages
      .map((message, i) => ({ message, count: replies[i]?.body.messageCount as number }))
      .sort((a, b) => a.count - b.count);
    const lastTen = committed.slice(-10).flatMap(({ message }) => [
      { role: "user", content: message },
      { role: "assistant", content: `answer to: ${message}` },
    ]);
    await service.chat({ message: "0", threadId });
    expect(service.prompt().slice(1, -1)).toEqual(lastTen);
  });
});

describe("a thread that is gone when the model answers", () => {
  test("is not recreated if it was deleted", async () => {
    const threadId = await service.newThread();
    service.model.script = async (request) => {
      await service.call("DELETE", `/threads/${threadId}`);
      return echo(request);
    };
    await expectGone(threadId);
  });

  test("is not recreated if it expired and was deleted, although the deletion found nothing", async () => {
    const threadId = await service.newThread();
    service.model.script = async (request) => {
      await expire(threadId);
      expect((await service.call("DELETE", `/threads/${threadId}`)).status).toBe(404);
      return echo(request);
    };
    await expectGone(threadId);
  });

  test.each([false, true])(
    "is stored and lives on if it has only expired, since the message was sent in time (stream: %s)",
    async (streamed) => {
      const threadId = await service.newThread();
      service.model.script = async (request) => {
        await expire(threadId);
        expect((await service.call("GET", `/threads/${threadId}`)).status).toBe(404);
        return echo(request);
      };
      const chat = { message: "hello", threadId };
      const body = streamed ? (await service.stream(chat)).at(-1)?.data : (await service.chat(chat)).body;
      expect(body).toMatchObject({ success: true, threadId, messageCount: 2 });
      const { messageCount, lastActivity, expiresAt } = await service.thread(threadId);
      expect(messageCount).toBe(2);
      expect(Date.parse(expiresAt) - Date.parse(lastActivity)).toBe(30 * 60_000);
    },
  );
});

/**
 * Lets a thread's time end now, without waiting for it: on a busy machine, a short one could end before the chat
 * begins.
 */
async function expire(threadId: string): Promise<void> {
  const TableName = variableOf(readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? ""), "THREADS_TABLE");
  const client = documentClient(service.dynamoDbEndpoint);
  await client.send(
    new UpdateCommand({
      TableName,
      Key: threadKey(LOCAL_TENANT, threadId),
      UpdateExpression: "SET expiresAt = :now",
      ExpressionAttributeValues: { ":now": new Date().toISOString() },
    }),
  );
  client.destroy();
}

/** Asserts that the chat is rejected although the model has answered, and that the thread exists for no endpoint. */
async function expectGone(threadId: string): Promise<void> {
  const before = service.model.requests.length;
  const reply = await service.chat({ message: "hello", threadId });
  expect(reply.status).toBe(404);
  expect(reply.body).toEqual({ success: false, error: THREAD_GONE.error });
  expect(service.model.requests).toHaveLength(before + 1);

  expect((await service.call("GET", `/threads/${threadId}`)).status).toBe(404);
  expect((await service.call("DELETE", `/threads/${threadId}`)).status).toBe(404);
  // Nor does another chat call the model, although no sweep has removed the thread yet.
  expect((await service.chat({ message: "again", threadId })).body).toEqual(reply.body);
  expect(service.model.requests).toHaveLength(before + 1);
}
