import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { allOf, anyOf, equals, isBelow, isMissing } from "../dynamo/expressions.ts";
import { idempotencyKeyOf } from "../dynamo/keys.ts";
import { readItem } from "../dynamo/query.ts";
import { deleteItem, put, transact, update } from "../dynamo/transact.ts";
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

/** The result of asking for a turn to be stopped: it will be, or already was, or its answer is stored whole. */
export type Stopping = "stopping" | "stopped" | "answered" | "thread-gone";

/** A request whose key needs no {@link Reservation}, because it does nothing before its commit. */
export type KeyedRequest = Pick<Reservation, "key" | "bodyHash">;

/** The state of a key: free, reserved by a running request, or answered by the turn with this number. */
export type KeyState =
  | { kind: "free" }
  | { kind: "pending"; bodyHash: string }
  | { kind: "answered"; bodyHash: string; turnNumber: number };

/** The result of reserving a key: `reserved` if the caller now holds it, otherwise the state that prevented it. */
export type Reserving = { kind: "reserved" } | { kind: "thread-gone" } | KeyState;

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
    return { thread: countWrite(tenant, thread, now), key: take(tenant, thread, reservation, now) };
  };
  const refusal = await transact(actions);
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

/** An update, because the record of a turn that was stopped before it began has to keep that. */
function take(tenant: Tenant, thread: Thread, { key, ...reserved }: Reservation, now: number) {
  const isFree = allOf(isMissing("turnNumber"), anyOf(isMissing("leaseUntil"), isBelow("leaseUntil", now)));
  return update(config.threadsTable, recordKey(tenant, thread, key), { set: { ...reserved, ttl: ttlAt(now) } }, isFree);
}

function recordKey(tenant: Tenant, { threadId, generation }: Thread, key: string) {
  return idempotencyKeyOf(tenant, threadId, generation, key);
}

/** @returns the state of a key, read consistently */
export async function readKeyState(tenant: Tenant, thread: Thread, key: string): Promise<KeyState> {
  return stateOf(await readItem(config.threadsTable, recordKey(tenant, thread, key)), Date.now());
}

/**
 * Stops the turn of a key, unless its answer is stored. It may not have begun yet: the request that stops it may be the
 * faster one. Increments the thread's `version`, as {@link reserve} does.
 *
 * @throws the database's error if it is unreachable or stays busy
 */
export async function stop(tenant: Tenant, thread: Thread, key: string): Promise<Stopping> {
  const actions = () => {
    const now = Date.now();
    const change = { set: { stoppedAt: new Date(now).toISOString(), ttl: ttlAt(now) } };
    const record = update(config.threadsTable, recordKey(tenant, thread, key), change, isMissing("turnNumber"));
    return { thread: countWrite(tenant, thread, now), key: record };
  };
  const refusal = await transact(actions);
  if (!refusal) {
    return "stopping";
  }
  if (refusal.failed.thread || !refusal.failed.key) {
    return "thread-gone";
  }
  return isStopped(refusal.failed.key.item) ? "stopped" : "answered";
}

/** @returns whether the turn of a key was stopped, read consistently */
export async function readStopped(tenant: Tenant, thread: Thread, key: string): Promise<boolean> {
  return isStopped(await readItem(config.threadsTable, recordKey(tenant, thread, key)));
}

/** Whether the record of a key says that its turn was stopped. */
export function isStopped(item: Record<string, unknown> | undefined): boolean {
  return item?.stoppedAt !== undefined;
}

/**
 * Releases a key, so that a retry of the request does not wait for the lease to expire.
 *
 * @throws the database's error if it does not respond in time, or if the key is answered, reserved by another request,
 *   or that of a turn that was stopped
 */
export async function release(tenant: Tenant, thread: Thread, { key, holder }: Reservation): Promise<void> {
  const isOurs = allOf(equals("holder", holder), isMissing("turnNumber"), isMissing("stoppedAt"));
  const { Delete } = deleteItem(config.threadsTable, recordKey(tenant, thread, key), isOurs);
  await dynamo.send(new DeleteCommand(Delete), { abortSignal: AbortSignal.timeout(RELEASE_MILLISECONDS) });
}

/**
 * The part of a commit that records the turn under its key, on condition that the holder still has the key.
 *
 * @param unlessStopped whether the answer is whole, so that it must not be stored once the turn was stopped
 */
export function keepReservation(
  tenant: Tenant,
  thread: Thread,
  { key, holder }: Reservation,
  turnNumber: number,
  unlessStopped: boolean,
) {
  const condition = allOf(equals("holder", holder), unlessStopped ? isMissing("stoppedAt") : undefined);
  return update(config.threadsTable, recordKey(tenant, thread, key), { set: { turnNumber } }, condition);
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
) {
  const item = { ...recordKey(tenant, thread, key), bodyHash, turnNumber, ttl: ttlAt(now) };
  return put(config.threadsTable, item, allOf(isMissing("bodyHash"), isMissing("turnNumber")));
}

/** Returns the state of a key by its record, at a time in milliseconds since the epoch. */
export function stateOf(item: Record<string, unknown> | undefined, now: number): KeyState {
  const bodyHash = String(item?.bodyHash);
  if (typeof item?.turnNumber === "number") {
    return { kind: "answered", bodyHash, turnNumber: item.turnNumber };
  }
  return item && Number(item.leaseUntil) >= now ? { kind: "pending", bodyHash } : { kind: "free" };
}
