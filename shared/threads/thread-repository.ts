import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { threadKey, threadPartition, turnPrefix } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { transact } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { CONTEXT_MESSAGES, lifetime, type Thread, type Turn } from "./thread.ts";
import { activeThread, turnItem, turnOf } from "./thread-items.ts";

const INSERT_RETRIES = 10;

/** A thread with its last turns, oldest first. */
export interface Conversation {
  thread: Thread;
  turns: Turn[];
}

/**
 * Stores a new thread, unless its id is taken.
 *
 * @param opening its first turn, if any
 * @returns false if the id belongs to another thread, even one that has expired and is not swept yet
 * @throws the database's error, if it cannot be reached or stays busy
 */
export async function insertThread(tenant: Tenant, thread: Thread, opening: Turn | undefined): Promise<boolean> {
  const at = Date.parse(thread.createdAt);
  const metadata = thread.metadata && JSON.stringify(thread.metadata);
  const items: Record<string, unknown>[] = [
    { ...threadKey(tenant, thread.threadId), ...thread, metadata, version: 0, ...lifetime(at, config.clock) },
  ];
  if (opening) {
    items.push(turnItem(tenant, thread, 0, opening, at));
  }
  const puts = items.map((Item) => ({
    Put: {
      TableName: config.threadsTable,
      Item,
      ConditionExpression: "attribute_not_exists(pk)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    },
  }));
  const refusal = await transact(() => puts, retries({ attempts: INSERT_RETRIES }));
  const onThread = refusal?.reasons[0];
  // With our generation, it is this thread: an earlier attempt stored it.
  return !onThread || (onThread.kind === "condition" && onThread.item?.generation === thread.generation);
}

/** @returns the thread, read consistently; undefined if it does not exist, has expired or is being deleted */
export async function readThread(tenant: Tenant, threadId: string): Promise<Thread | undefined> {
  const { Item } = await dynamo.send(
    new GetCommand({ TableName: config.threadsTable, Key: threadKey(tenant, threadId), ConsistentRead: true }),
  );
  return activeThread(Item);
}

/**
 * Reads a thread and its last {@link CONTEXT_MESSAGES} messages in one consistent query: descending, the thread's item
 * comes first and its newest turns follow. Only very long messages (1 MB in total) take another page.
 *
 * @returns undefined if the thread does not exist, has expired or is being deleted
 */
export async function readConversation(tenant: Tenant, threadId: string): Promise<Conversation | undefined> {
  const wanted = 1 + CONTEXT_MESSAGES / 2;
  const items: Record<string, unknown>[] = [];
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(
      new QueryCommand({
        TableName: config.threadsTable,
        KeyConditionExpression: "pk = :thread",
        ExpressionAttributeValues: { ":thread": threadPartition(tenant, threadId) },
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: wanted - items.length,
        ExclusiveStartKey: next,
      }),
    );
    items.push(...(page.Items ?? []));
    next = page.LastEvaluatedKey;
  } while (next && items.length < wanted);

  const thread = activeThread(items[0]);
  if (!thread) {
    return undefined;
  }
  const ours = turnPrefix(thread.generation);
  const turns = items
    .filter((item) => String(item.sk).startsWith(ours))
    .map(turnOf)
    .reverse();
  return { thread, turns };
}
