import { DeleteCommand, GetCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { idempotencyKeyOf, threadKey } from "../dynamo/keys.ts";
import { backOff, cancellationReasons } from "../dynamo/transaction.ts";
import { type Thread, ttlAt } from "./thread.ts";

/**
 * One request's hold on an idempotency key, so that its repetitions wait instead of asking the model again. It ends with
 * the turn that is committed under it, with {@link release}, or, when the holder died, at `leaseUntil`.
 */
export interface Reservation {
  /** The key, as a hash. */
  key: string;
  /** The request's body, as a hash. */
  bodyHash: string;
  /** Tells this holder from others. */
  holder: string;
  /** Milliseconds since the epoch: past this, the holder's invocation has ended, come what may. */
  leaseUntil: number;
}

/** What stands under a key: nothing that binds, a holder at work, or the number of the turn that was committed. */
export type KeyState =
  | { kind: "free" }
  | { kind: "pending"; bodyHash: string }
  | { kind: "answered"; bodyHash: string; turnNumber: number };

const ATTEMPTS = 20;

/**
 * Reserves a key of a thread that is still there. The thread's `version` moves along, so that a deletion that has
 * listed the partition before does not leave the reservation behind.
 *
 * @returns "free" when the key is now the caller's, or what stands there instead; undefined when the thread is gone
 * @throws the database's error, when it cannot be reached or stays busy
 */
export async function reserve(thread: Thread, reservation: Reservation): Promise<KeyState | undefined> {
  const TableName = config.threadsTable;
  for (let attempt = 0; ; attempt++) {
    const now = Date.now();
    try {
      await dynamo.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName,
                Key: threadKey(thread.threadId),
                UpdateExpression: "SET version = version + :one",
                ConditionExpression: "generation = :generation AND expiresAt > :now AND attribute_not_exists(deleting)",
                ExpressionAttributeValues: {
                  ":one": 1,
                  ":generation": thread.generation,
                  ":now": new Date(now).toISOString(),
                },
              },
            },
            {
              Put: {
                TableName,
                Item: {
                  ...idempotencyKeyOf(thread.threadId, thread.generation, reservation.key),
                  bodyHash: reservation.bodyHash,
                  holder: reservation.holder,
                  leaseUntil: reservation.leaseUntil,
                  ttl: ttlAt(now),
                },
                ConditionExpression:
                  "attribute_not_exists(threadId) OR (attribute_not_exists(turnNumber) AND leaseUntil < :now)",
                ExpressionAttributeValues: { ":now": now },
                ReturnValuesOnConditionCheckFailure: "ALL_OLD",
              },
            },
          ],
        }),
      );
      return { kind: "free" };
    } catch (error) {
      const [onThread, onKey] = cancellationReasons(error);
      if (onThread?.kind === "condition") {
        return undefined;
      }
      if (onKey?.kind === "condition") {
        return stateOf(onKey.item, now);
      }
      if (attempt === ATTEMPTS) {
        throw error;
      }
      await backOff(attempt);
    }
  }
}

/** @returns what stands under a key, read consistently */
export async function readKeyState(thread: Thread, key: string): Promise<KeyState> {
  const Key = idempotencyKeyOf(thread.threadId, thread.generation, key);
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.threadsTable, Key, ConsistentRead: true }));
  return stateOf(Item, Date.now());
}

/** Gives a key up, so that a repetition of the request need not wait for the lease to end. */
export async function release(thread: Thread, { key, holder }: Reservation): Promise<void> {
  await dynamo.send(
    new DeleteCommand({
      TableName: config.threadsTable,
      Key: idempotencyKeyOf(thread.threadId, thread.generation, key),
      ConditionExpression: "holder = :holder AND attribute_not_exists(turnNumber)",
      ExpressionAttributeValues: { ":holder": holder },
    }),
  );
}

/** The part of a commit that ties the key to the turn, on condition that the key is still the holder's. */
export function keepReservation(
  thread: Thread,
  { key, holder }: Reservation,
  turnNumber: number,
): NonNullable<TransactWriteCommandInput["TransactItems"]>[number] {
  return {
    Update: {
      TableName: config.threadsTable,
      Key: idempotencyKeyOf(thread.threadId, thread.generation, key),
      UpdateExpression: "SET turnNumber = :number",
      ConditionExpression: "holder = :holder",
      ExpressionAttributeValues: { ":number": turnNumber, ":holder": holder },
    },
  };
}

function stateOf(item: Record<string, unknown> | undefined, now: number): KeyState {
  const bodyHash = String(item?.bodyHash);
  if (typeof item?.turnNumber === "number") {
    return { kind: "answered", bodyHash, turnNumber: item.turnNumber };
  }
  return item && Number(item.leaseUntil) >= now ? { kind: "pending", bodyHash } : { kind: "free" };
}
