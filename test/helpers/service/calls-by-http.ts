import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { variableOf } from "../../../local/service.ts";
import { documentClient } from "../../../packages/lambda-local/database.ts";
import { readTemplate } from "../../../packages/lambda-local/template.ts";
import { threadKey, threadPartition } from "../../../shared/dynamo/keys.ts";
import { type ErrorKind, ServiceError } from "../../../shared/errors.ts";
import { LOCAL_TENANT } from "../caller.ts";
import type { ClientCalls } from "../database/client-calls.ts";
import { eventually } from "../eventually.ts";
import { openStream } from "./event-stream.ts";
import type { Reply, TestService } from "./service.ts";

/** The statuses with which random clients can be rejected. */
const KINDS: Record<number, ErrorKind> = { 400: "invalid", 404: "not-found", 409: "conflict" };

/**
 * The endpoints of a service, called by HTTP. Every other chat is streamed.
 *
 * @param service sweeps every second
 */
export function callsByHttp(service: TestService): ClientCalls & { close(): void } {
  const documents = documentClient(service.dynamoDbEndpoint);
  const TableName = variableOf(readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? ""), "THREADS_TABLE");
  const call = async (method: string, path: string, body?: unknown, key?: string) =>
    accepted(await service.call(method, path, { body, headers: withKey(key) }));
  const items = async (threadId: string) => {
    const query = {
      KeyConditionExpression: "pk = :thread",
      ExpressionAttributeValues: { ":thread": threadPartition(LOCAL_TENANT, threadId) },
    };
    return (await documents.send(new QueryCommand({ TableName, ConsistentRead: true, ...query }))).Items ?? [];
  };
  let chats = 0;
  return {
    createPatient: async (phone_number) => (await call("POST", "/patients", { name: "Test", phone_number })).patient.id,
    createThread: async () => (await call("POST", "/threads", {})).threadId,
    chat: async (request, key) => {
      const body = { ...request, include: ["parts"] };
      return storedOf(await (chats++ % 2 === 0 ? call("POST", "/chat", body, key) : streamed(service, body, key)));
    },
    stop: async (id, key) => {
      const reply = await service.call("DELETE", `/threads/${id}/turns/${encodeURIComponent(key)}`);
      return reply.status !== 409 && Boolean(accepted(reply).turn); // a 409: the answer has been given
    },
    write: async (id, content, key) =>
      (await call("POST", `/threads/${id}/messages`, { content, author: "Ana" }, key)).messageCount,
    hold: (id) => call("PUT", `/threads/${id}/handoff`, { by: "Ana" }),
    giveBack: (id) => call("DELETE", `/threads/${id}/handoff`),
    remove: (id) => call("DELETE", `/threads/${id}`),
    expire: async (id) => {
      const ended = { ":now": new Date().toISOString(), ":swept": new Date(0).toISOString() };
      await documents.send(
        new UpdateCommand({
          TableName,
          Key: threadKey(LOCAL_TENANT, id),
          UpdateExpression: "SET expiresAt = :now, sweepAt = :swept",
          ExpressionAttributeValues: ended,
        }),
      );
    },
    swept: (id) =>
      eventually(
        () => items(id),
        (left) => left.length === 0,
      ),
    items,
    close: () => documents.destroy(),
  };
}

const withKey = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { "idempotency-key": key };

/** @throws ServiceError for a rejection, Error for a failure: of the function, or of the gateway because of it */
function accepted({ status, body }: Reply): Reply["body"] {
  const kind = KINDS[status];
  if (kind) {
    throw new ServiceError(kind, body.error);
  }
  if (status >= 300) {
    throw new Error(`${status}`);
  }
  return body;
}

/**
 * What is stored of an answer: a stream may have sent the model's words, or that they were stopped, before a person took
 * over, whose message then takes the place of both.
 */
function storedOf({ parts, messageCount }: Reply["body"]): { response: string; messageCount: number } {
  const kinds: string[] = parts.map(({ kind }: { kind: string }) => kind);
  const isTaken = kinds.includes("held") || kinds.includes("unanswered");
  const texts = parts.map(({ text }: { text: string }) => text);
  const stored = texts.filter((_: string, place: number) => !(isTaken && /^(words|cut)$/.test(kinds[place] ?? "")));
  return { response: stored.join("\n\n"), messageCount };
}

/** Chats with a streamed answer, which has no last event if its function ends. */
async function streamed(service: TestService, request: unknown, key?: string): Promise<Reply["body"]> {
  const stream = await openStream(service, request, withKey(key));
  if (stream.status !== 200) {
    return accepted({
      status: stream.status,
      headers: stream.headers,
      body: { error: JSON.stringify(await stream.rest()) },
    });
  }
  const events = await stream.rest();
  const done = events.find(({ event }) => event === "done");
  if (!done) {
    throw new Error("the stream ended early");
  }
  return done.data;
}
