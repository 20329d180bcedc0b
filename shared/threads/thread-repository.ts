import { GetCommand, QueryCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { THREAD_SK, threadKey, turnKey, turnPrefix } from "../dynamo/keys.ts";
import { backOff, cancellationReasons } from "../dynamo/transaction.ts";
import { keepReservation, type Reservation } from "./reservation-repository.ts";
import { CONTEXT_MESSAGES, isExpired, lifetime, type Thread, type Turn, ttlAt } from "./thread.ts";

const INSERT_ATTEMPTS = 10;

/** A thread with its last turns, oldest first. */
export interface Conversation {
  thread: Thread;
  turns: Turn[];
}

/**
 * Stores a new thread, unless its id is taken.
 *
 * A transaction even for one item: it carries a token, so the SDK's own repetition after a lost answer succeeds
 * instead of meeting its own item.
 *
 * @param opening the turn it begins with, if any
 * @returns false when the id belongs to another thread, be it one that has expired and is not swept yet
 */
export async function insertThread(thread: Thread, opening: Turn | undefined): Promise<boolean> {
  const at = Date.parse(thread.createdAt);
  const metadata = thread.metadata && JSON.stringify(thread.metadata);
  const items: Record<string, unknown>[] = [
    { ...threadKey(thread.threadId), ...thread, metadata, version: 0, ...lifetime(at, config.clock) },
  ];
  if (opening) {
    items.push(turnItem(thread, 0, opening, at));
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
      if (cancellationReasons(error)[0]?.kind === "condition") {
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
 * comes first and its newest turns follow. Only very long messages (1 MB in all) need another page.
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
  const ours = turnPrefix(thread.generation);
  const turns = items
    .filter((item) => String(item.sk).startsWith(ours))
    .map((item) => ({ question: String(item.question), answer: String(item.answer) }))
    .reverse();
  return { thread, turns };
}

/**
 * Commits a turn: appends it and moves the thread's count and expiry, in one transaction, on condition that the
 * thread is still the one that was read, has not expired and has the count that was read. Who loses the race for the
 * count goes on with the fresh one, which the refusal brings along; so turns stand in the order of their commits,
 * each whole. The reservation of an idempotency key, if there is one, is kept in the same transaction.
 *
 * @param thread as it was read
 * @param giveUpAt milliseconds since the epoch
 * @returns the thread after the commit; undefined when it was deleted or has expired meanwhile: it is never resurrected
 * @throws the database's error, when it cannot be reached or stays busy until `giveUpAt`
 */
export async function commitTurn(
  thread: Thread,
  turn: Turn,
  giveUpAt: number,
  reservation?: Reservation,
): Promise<Thread | undefined> {
  let messageCount = thread.messageCount;
  for (let attempt = 0; ; attempt++) {
    const now = Date.now();
    const { lastActivity, expiresAt } = lifetime(now, config.clock);
    const number = messageCount / 2;
    const actions = [moveOn(thread, messageCount, now), putTurn(thread, number, turn, now)];
    if (reservation) {
      actions.push(keepReservation(thread, reservation, number));
    }
    try {
      await dynamo.send(new TransactWriteCommand({ TransactItems: actions }));
      return { ...thread, messageCount: messageCount + 2, lastActivity, expiresAt };
    } catch (error) {
      const [onThread, onTurn, onReservation] = cancellationReasons(error);
      if (onThread?.kind === "condition") {
        const current = activeThread(onThread.item);
        if (current?.generation !== thread.generation) {
          return undefined;
        }
        messageCount = current.messageCount;
      } else if (onTurn?.kind === "condition" || onReservation?.kind === "condition") {
        throw error; // neither can happen while counts and leases are what they are
      }
      if (Date.now() > giveUpAt) {
        throw error;
      }
      await backOff(attempt);
    }
  }
}

/** @returns a turn by its number, as one that was committed before, with what is kept of it for a replay */
export async function readTurn(thread: Thread, number: number): Promise<Turn | undefined> {
  const Key = turnKey(thread.threadId, thread.generation, number);
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.threadsTable, Key, ConsistentRead: true }));
  return Item && { question: String(Item.question), answer: String(Item.answer), replay: Item.replay };
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

function putTurn(thread: Thread, number: number, turn: Turn, now: number): Action {
  return {
    Put: {
      TableName: config.threadsTable,
      Item: turnItem(thread, number, turn, now),
      ConditionExpression: "attribute_not_exists(threadId)",
    },
  };
}

function turnItem(thread: Thread, number: number, turn: Turn, at: number): Record<string, unknown> {
  return {
    ...turnKey(thread.threadId, thread.generation, number),
    ...turn,
    at: new Date(at).toISOString(),
    ttl: ttlAt(at),
  };
}

/** The thread an item holds; undefined when the item is none, or a thread that exists for nobody any more. */
function activeThread(item: Record<string, unknown> | undefined): Thread | undefined {
  if (item?.sk !== THREAD_SK || item.deleting) {
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
