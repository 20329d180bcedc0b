import { GetCommand, QueryCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { exchangeKey, exchangePrefix, THREAD_ITEM, threadKey } from "../dynamo/keys.ts";
import { backOff, refusals } from "../dynamo/transaction.ts";
import { keepReservation, type Reservation } from "./reservation-repository.ts";
import { backstop, CONTEXT_MESSAGES, type Exchange, isExpired, lifetime, type Thread } from "./thread.ts";

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
    { ...threadKey(thread.threadId), ...thread, metadata, version: 0, ...lifetime(at, config.clock) },
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
 * each whole. The reservation of an idempotency key, if there is one, is kept in the same transaction.
 *
 * @param thread as it was read
 * @param giveUpAt milliseconds since the epoch
 * @returns the thread after the commit; undefined when it was deleted or has expired meanwhile: it is never resurrected
 * @throws the database's error, when it cannot be reached or stays busy until `giveUpAt`
 */
export async function appendExchange(
  thread: Thread,
  exchange: Exchange,
  giveUpAt: number,
  reservation?: Reservation,
): Promise<Thread | undefined> {
  let messageCount = thread.messageCount;
  for (let attempt = 0; ; attempt++) {
    const now = Date.now();
    const { lastActivity, expiresAt } = lifetime(now, config.clock);
    const number = messageCount / 2;
    const actions = [moveOn(thread, messageCount, now), putExchange(thread, number, exchange, now)];
    if (reservation) {
      actions.push(keepReservation(thread, reservation, number));
    }
    try {
      await dynamo.send(new TransactWriteCommand({ TransactItems: actions }));
      return { ...thread, messageCount: messageCount + 2, lastActivity, expiresAt };
    } catch (error) {
      const [onThread, onExchange, onReservation] = refusals(error);
      if (onThread?.kind === "condition") {
        const current = activeThread(onThread.item);
        if (current?.generation !== thread.generation) {
          return undefined;
        }
        messageCount = current.messageCount;
      } else if (onExchange?.kind === "condition" || onReservation?.kind === "condition") {
        throw error; // neither can happen while counts and leases are what they are
      }
      if (Date.now() > giveUpAt) {
        throw error;
      }
      await backOff(attempt);
    }
  }
}

/** @returns an exchange by its number, as one that was committed before */
export async function readExchange(thread: Thread, number: number): Promise<Exchange | undefined> {
  const Key = exchangeKey(thread.threadId, thread.generation, number);
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.threadsTable, Key, ConsistentRead: true }));
  return Item && { question: String(Item.question), answer: String(Item.answer) };
}

type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Moves a thread's count and times. `version` counts the writes to the partition, for whoever deletes it. */
function moveOn(thread: Thread, messageCount: number, now: number): Action {
  const { lastActivity, expiresAt, sweepAt, ttl } = lifetime(now, config.clock);
  return {
    Update: {
      TableName: config.threadsTable,
      Key: threadKey(thread.threadId),
      UpdateExpression:
        "SET messageCount = :count, version = version + :one, lastActivity = :now, expiresAt = :expires, sweepAt = :sweep, #ttl = :ttl",
      ConditionExpression:
        "generation = :generation AND messageCount = :read AND expiresAt > :now AND attribute_not_exists(deleting)",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: {
        ":one": 1,
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
  };
}

function putExchange(thread: Thread, number: number, exchange: Exchange, now: number): Action {
  return {
    Put: {
      TableName: config.threadsTable,
      Item: exchangeItem(thread, number, exchange, now),
      ConditionExpression: "attribute_not_exists(threadId)",
    },
  };
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
