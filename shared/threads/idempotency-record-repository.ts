import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { idempotencyKeyOf } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { type Action, putNew, transact } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { type Thread, ttlAt } from "./thread.ts";
import { countWrite } from "./thread-repository.ts";

/**
 * One request's hold on an idempotency key, which makes its retries wait instead of calling the model again. It ends
 * with the turn committed under it, with {@link release} or, if its holder died, at `leaseUntil`.
 */
export interface Reservation {
  /** A hash of the key. */
  key: string;
  /** A hash of the request body. */
  bodyHash: string;
  /** Distinguishes this holder from others. */
  holder: string;
  /** Milliseconds since the epoch, after the end of the holder's invocation. */
  leaseUntil: number;
}

/** A request whose key needs no {@link Reservation}, because it does nothing before its commit. */
export type KeyedRequest = Pick<Reservation, "key" | "bodyHash">;

/** The state of a key: free, reserved by a running request, or answered by the turn with this number. */
export type KeyState =
  | { kind: "free" }
  | { kind: "pending"; bodyHash: string }
  | { kind: "answered"; bodyHash: string; turnNumber: number };

/** What came of reserving a key: `reserved` if the caller now holds it, otherwise the state that prevented it. */
export type Reserving = { kind: "reserved" } | { kind: "thread-gone" } | KeyState;

const RESERVE_RETRIES = 20;

/** The time limit of a release: the caller waits for it, and without it the lease expires by itself. */
const RELEASE_MILLISECONDS = 1_000;

/**
 * Reserves a key of a thread. Increments the thread's `version`, so that a deletion that has already listed the
 * partition does not leave the reservation behind.
 *
 * @throws the database's error if it is unreachable or stays busy; the key may be reserved nevertheless
 */
export async function reserve(tenant: Tenant, thread: Thread, reservation: Reservation): Promise<Reserving> {
  let now = 0;
  const actions = () => {
    now = Date.now();
    return { thread: countWrite(tenant, thread, now), key: putRecord(tenant, thread, reservation, now) };
  };
  const refusal = await transact(actions, retries({ attempts: RESERVE_RETRIES }));
  if (!refusal) {
    return { kind: "reserved" };
  }
  const { thread: onThread, key: onKey } = refusal.failed;
  if (onThread || !onKey) {
    return { kind: "thread-gone" };
  }
  const ours = onKey.item?.holder === reservation.holder; // an earlier attempt reserved it
  return ours ? { kind: "reserved" } : stateOf(onKey.item, now);
}

function putRecord(tenant: Tenant, thread: Thread, { key, ...reserved }: Reservation, now: number): Action {
  return {
    Put: {
      TableName: config.threadsTable,
      Item: { ...idempotencyKeyOf(tenant, thread.threadId, thread.generation, key), ...reserved, ttl: ttlAt(now) },
      ConditionExpression: "attribute_not_exists(pk) OR (attribute_not_exists(turnNumber) AND leaseUntil < :now)",
      ExpressionAttributeValues: { ":now": now },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

/** @returns the state of a key, read consistently */
export async function readKeyState(tenant: Tenant, thread: Thread, key: string): Promise<KeyState> {
  const Key = idempotencyKeyOf(tenant, thread.threadId, thread.generation, key);
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.threadsTable, Key, ConsistentRead: true }));
  return stateOf(Item, Date.now());
}

/**
 * Releases a key, so that a retry of the request does not wait for the lease to expire.
 *
 * @throws the database's error if it does not respond in time, or if the key is answered or reserved by another request
 */
export async function release(tenant: Tenant, thread: Thread, { key, holder }: Reservation): Promise<void> {
  await dynamo.send(
    new DeleteCommand({
      TableName: config.threadsTable,
      Key: idempotencyKeyOf(tenant, thread.threadId, thread.generation, key),
      ConditionExpression: "holder = :holder AND attribute_not_exists(turnNumber)",
      ExpressionAttributeValues: { ":holder": holder },
    }),
    { abortSignal: AbortSignal.timeout(RELEASE_MILLISECONDS) },
  );
}

/** The part of a commit that records the turn under its key, on condition that the holder still has the key. */
export function keepReservation(
  tenant: Tenant,
  thread: Thread,
  { key, holder }: Reservation,
  turnNumber: number,
): Action {
  return {
    Update: {
      TableName: config.threadsTable,
      Key: idempotencyKeyOf(tenant, thread.threadId, thread.generation, key),
      UpdateExpression: "SET turnNumber = :number",
      ConditionExpression: "holder = :holder",
      ExpressionAttributeValues: { ":number": turnNumber, ":holder": holder },
    },
  };
}

/**
 * The part of a commit that stores the key of a request without a reservation, on condition that no other request has
 * used it; otherwise, the refusal contains that one's record.
 */
export function putAnswered(
  tenant: Tenant,
  thread: Thread,
  { key, bodyHash }: KeyedRequest,
  turnNumber: number,
  now: number,
): Action {
  const Key = idempotencyKeyOf(tenant, thread.threadId, thread.generation, key);
  return putNew(config.threadsTable, { ...Key, bodyHash, turnNumber, ttl: ttlAt(now) });
}

/** Returns the state of a key by its record, at a time in milliseconds since the epoch. */
export function stateOf(item: Record<string, unknown> | undefined, now: number): KeyState {
  const bodyHash = String(item?.bodyHash);
  if (typeof item?.turnNumber === "number") {
    return { kind: "answered", bodyHash, turnNumber: item.turnNumber };
  }
  return item && Number(item.leaseUntil) >= now ? { kind: "pending", bodyHash } : { kind: "free" };
}
