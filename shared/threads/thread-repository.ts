import { GetCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { exchangeKey, exchangePrefix, THREAD_ITEM, threadKey } from "../dynamo/keys.ts";
import { backOff, refusals } from "../dynamo/transaction.ts";
import { backstop, CONTEXT_MESSAGES, type Exchange, isExpired, lifetime, type Thread } from "./thread.ts";

/** How long an exchange tries to find its place among others that are committed to the same thread. */
const APPEND_MILLISECONDS = 15_000;
const INSERT_ATTEMPTS = 10;

/** A thread with its last exchanges, oldest first. */
export interface Conversation {
  thread: Thread;
  exchanges: Exchange[];
}

/**
 * Stores a new thread, unless its id is taken.
 *
 * A transaction even for one item: it carries a token, so the SDK's own repetition after a lost answer succeeds
 * instead of meeting its own item.
 *
 * @param opening the exchange it begins with, if any
 * @returns false when the id belongs to another thread, be it one that has expired and is not swept yet
 */
export async function insertThread(thread: Thread, opening: Exchange | undefined): Promise<boolean> {
  const at = Date.parse(thread.createdAt);
  const metadata = thread.metadata && JSON.stringify(thread.metadata);
  const items: Record<string, unknown>[] = [
    { ...threadKey(thread.threadId), ...thread, metadata, ...lifetime(at, config.clock) },
  ];
  if (opening) {
    items.push(exchangeItem(thread, 0, opening, at));
  }
  for (let attempt = 0; ; attempt++) {
    try {
      await dynamo.send(
        new TransactWriteCommand({
          TransactItems: items.map((Item) => ({
            Put: { TableName: config.threadsTable, Item, ConditionExpression: "attribute_not_exists(threadId)" },
          })),
        }),
      );
      return true;
    } catch (error) {
      if (refusals(error)[0]?.kind === "condition") {
        return false;
      }
      if (attempt === INSERT_ATTEMPTS) {
        throw error;
      }
      await backOff(attempt);
    }
  }
}

/** @returns the thread, read consistently; undefined when it does not exist, has expired or is being deleted */
export async function readThread(threadId: string): Promise<Thread | undefined> {
  const { Item } = await dynamo.send(
    new GetCommand({ TableName: config.threadsTable, Key: threadKey(threadId), ConsistentRead: true }),
  );
  return activeThread(Item);
}

/**
 * Reads a thread and its last {@link CONTEXT_MESSAGES} messages in one consistent query: descending, the thread's item
 * comes first and its newest exchanges follow. Only very long messages (1 MB in all) need another page.
 *
 * @returns undefined when the thread does not exist, has expired or is being deleted
 */
export async function readConversation(threadId: string): Promise<Conversation | undefined> {
  const wanted = 1 + CONTEXT_MESSAGES / 2;
  const items: Record<string, unknown>[] = [];
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(
      new QueryCommand({
        TableName: config.threadsTable,
        KeyConditionExpression: "threadId = :id",
        ExpressionAttributeValues: { ":id": threadId },
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
  const ours = exchangePrefix(thread.generation);
  const exchanges = items
    .filter((item) => String(item.item).startsWith(ours))
    .map((item) => ({ question: String(item.question), answer: String(item.answer) }))
    .reverse();
  return { thread, exchanges };
}

/**
 * Commits an exchange: appends it and moves the thread's count and expiry, in one transaction, on condition that the
 * thread is still the one that was read, has not expired and has the count that was read. Who loses the race for the
 * count goes on with the fresh one, which the refusal brings along; so exchanges stand in the order of their commits,
 * each whole.
 *
 * @param thread as it was read
 * @returns the thread after the commit; undefined when it was deleted or has expired meanwhile: it is never resurrected
 * @throws the database's error, when it cannot be reached or stays busy for {@link APPEND_MILLISECONDS}
 */
export async function appendExchange(thread: Thread, exchange: Exchange): Promise<Thread | undefined> {
  const giveUpAt = Date.now() + APPEND_MILLISECONDS;
  let messageCount = thread.messageCount;
  for (let attempt = 0; ; attempt++) {
    const now = Date.now();
    const { lastActivity, expiresAt, sweepAt, ttl } = lifetime(now, config.clock);
    try {
      await dynamo.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Put: {
                TableName: config.threadsTable,
                Item: exchangeItem(thread, messageCount / 2, exchange, now),
                ConditionExpression: "attribute_not_exists(threadId)",
              },
            },
            {
              Update: {
                TableName: config.threadsTable,
                Key: threadKey(thread.threadId),
                UpdateExpression:
                  "SET messageCount = :count, lastActivity = :now, expiresAt = :expires, sweepAt = :sweep, #ttl = :ttl",
                ConditionExpression:
                  "generation = :generation AND messageCount = :read AND expiresAt > :now AND attribute_not_exists(deleting)",
                ExpressionAttributeNames: { "#ttl": "ttl" },
                ExpressionAttributeValues: {
                  ":count": messageCount + 2,
                  ":read": messageCount,
                  ":generation": thread.generation,
                  ":now": lastActivity,
                  ":expires": expiresAt,
                  ":sweep": sweepAt,
                  ":ttl": ttl,
                },
                ReturnValuesOnConditionCheckFailure: "ALL_OLD",
              },
            },
          ],
        }),
      );
      return { ...thread, messageCount: messageCount + 2, lastActivity, expiresAt };
    } catch (error) {
      const onThread = refusals(error)[1];
      if (onThread?.kind === "condition") {
        const current = activeThread(onThread.item);
        if (current?.generation !== thread.generation) {
          return undefined;
        }
        messageCount = current.messageCount;
      }
      if (Date.now() > giveUpAt) {
        throw error;
      }
      await backOff(attempt);
    }
  }
}

function exchangeItem(thread: Thread, number: number, exchange: Exchange, at: number): Record<string, unknown> {
  return {
    ...exchangeKey(thread.threadId, thread.generation, number),
    ...exchange,
    at: new Date(at).toISOString(),
    ttl: backstop(at),
  };
}

/** The thread an item holds; undefined when the item is none, or a thread that exists for nobody any more. */
function activeThread(item: Record<string, unknown> | undefined): Thread | undefined {
  if (item?.item !== THREAD_ITEM || item.deleting) {
    return undefined;
  }
  const thread: Thread = {
    threadId: String(item.threadId),
    generation: String(item.generation),
    patientId: typeof item.patientId === "string" ? item.patientId : null,
    messageCount: Number(item.messageCount),
    lastActivity: String(item.lastActivity),
    createdAt: String(item.createdAt),
    expiresAt: String(item.expiresAt),
  };
  return isExpired(thread, Date.now()) ? undefined : thread;
}
