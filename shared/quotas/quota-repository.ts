import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import {
  allOf,
  anyOf,
  type Change,
  type Condition,
  equals,
  isAbove,
  isBelow,
  isMissing,
} from "../dynamo/expressions.ts";
import { quotaKey } from "../dynamo/keys.ts";
import { update as updateItem } from "../dynamo/transact.ts";
import type { Caller } from "../request/caller.ts";
import type { Tenant } from "../tenant.ts";

/** How long a request waits for a counter. A healthy one responds within milliseconds. */
const COUNTER_MILLISECONDS = 1_000;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * 60;

type Item = Record<string, unknown>;

/** The prefixes of attributes that count leases or threads by the time at which they end, in epoch seconds. */
const LEASE = "lease_";
const SWEEP = "sweep_";

/** Ended counts are removed from an item once there are more than this, so that it stays below 1 or 2 KB. */
const KEPT_ENDED = 20;

/** The result of counting something against a limit. */
export interface Counted {
  allowed: boolean;
  /** The remaining amount. */
  remaining: number;
  /** Seconds until the amount increases. */
  resetSeconds: number;
}

/**
 * Counts a request in the current minute. Each minute has a separate counter item, which expires by itself.
 *
 * @throws the database's error if the counter does not respond in time
 */
export async function countRequest(caller: Caller, limit: number, now: number): Promise<Counted> {
  const { window, resetSeconds } = windowOf(now, MINUTE_SECONDS);
  const used = await update(
    quotaKey(caller.tenant, caller.client, "requests", window),
    { add: { used: 1 }, set: { ttl: ttlOf(now, MINUTE_SECONDS) } },
    isFree("used", limit),
  );
  return { allowed: used !== undefined, remaining: used ? limit - Number(used.used) : 0, resetSeconds };
}

/** Reads how many tokens a client has used today. Chats in progress are not included. */
export async function readTokens(caller: Caller, limit: number, now: number): Promise<Counted> {
  const { window, resetSeconds } = windowOf(now, DAY_SECONDS);
  const { Item } = await dynamo.send(
    new GetCommand({ TableName: config.quotasTable, Key: quotaKey(caller.tenant, caller.client, "tokens", window) }),
    { abortSignal: AbortSignal.timeout(COUNTER_MILLISECONDS) },
  );
  const remaining = Math.max(0, limit - Number(Item?.used ?? 0));
  return { allowed: remaining > 0, remaining, resetSeconds };
}

/** Counts the tokens of an answer. */
export async function addTokens({ tenant, client }: Caller, tokens: number, now: number): Promise<void> {
  const { window } = windowOf(now, DAY_SECONDS);
  const change = { add: { used: tokens }, set: { ttl: ttlOf(now, DAY_SECONDS) } };
  await update(quotaKey(tenant, client, "tokens", window), change);
}

/**
 * Acquires a lease for a chat. One item counts a client's leases, in total and by the second in which they end: its
 * size depends on how long a chat may take, not on the number of leases. If leases of chats that died block the
 * request, a second round trip removes them. If a call is repeated because its response was lost, the count is wrong by
 * one until that second has passed.
 *
 * @param until the end of the invocation, in milliseconds since the epoch
 */
export async function takeLease(caller: Caller, limit: number, until: number, now: number): Promise<Counted> {
  const resetSeconds = 1; // whenever a chat ends
  const take = (ended: Ending[]) => {
    const { remove, unchanged, sum } = removalOf(ended);
    return send(
      quotaKey(caller.tenant, caller.client, "chats", ""),
      { add: { inUse: 1 - sum, [leaseName(until)]: 1 }, set: { ttl: ttlOf(now, DAY_SECONDS) }, remove },
      allOf(isFree("inUse", limit + sum), unchanged),
    );
  };
  try {
    const first = await take([]);
    return { allowed: true, remaining: limit - Number(first.inUse), resetSeconds };
  } catch (error) {
    const ended = endedLeases(conditionFailure(error), now);
    const second = ended.some(({ count }) => count > 0) ? await unlessRefused(take(ended)) : undefined;
    return { allowed: second !== undefined, remaining: second ? limit - Number(second.inUse) : 0, resetSeconds };
  }
}

/** Returns a lease, and removes those of chats that died from the count if there may be many. */
export async function giveBackLease({ tenant, client }: Caller, until: number, now: number): Promise<void> {
  const Key = quotaKey(tenant, client, "chats", "");
  const lease = leaseName(until);
  const item = await update(Key, { add: { inUse: -1, [lease]: -1 } }, isAbove(lease, 0));
  const { remove, unchanged, sum } = removalOf(endedLeases(item ?? {}, now));
  if (remove.length > KEPT_ENDED) {
    await update(Key, { add: { inUse: -sum }, remove }, unchanged);
  }
}

function leaseName(until: number): string {
  return LEASE + Math.ceil(until / 1000);
}

/** The leases whose second has passed; at most 100, so that an update of all of them is small enough. */
function endedLeases(item: Record<string, unknown>, now: number): Ending[] {
  return endings(item, LEASE)
    .filter(({ at }) => at < now)
    .slice(0, 100);
}

/** A count of leases or threads that end at the same time. */
interface Ending {
  /** The attribute. */
  name: string;
  /** Milliseconds since the epoch. */
  at: number;
  count: number;
}

function endings(item: Record<string, unknown>, prefix: string): Ending[] {
  return Object.entries(item)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, count]) => ({ name, at: Number(name.slice(prefix.length)) * 1000, count: Number(count) }));
}

/** The parts of an update that removes counts, on condition that they are still as they were read. */
function removalOf(ended: Ending[]) {
  return {
    remove: ended.map(({ name }) => name),
    unchanged: ended.length > 0 ? allOf(...ended.map(({ name, count }) => equals(name, count))) : undefined,
    sum: ended.reduce((sum, { count }) => sum + count, 0),
  };
}

function isFree(counter: string, limit: number): Condition {
  return anyOf(isMissing(counter), isBelow(counter, limit));
}

/**
 * Counts a new thread. One item counts a client's threads by the sweep that would delete them, so an idle thread stops
 * counting by itself.
 *
 * @param sweepAt the sweep that deletes the thread, ISO 8601
 */
export async function countThread(caller: Caller, limit: number, sweepAt: string, now: number): Promise<Counted> {
  const item = await changeThreads(caller.tenant, caller.client, { [sweepAt]: 1 }, now);
  const all = endings(item, SWEEP);
  await forgetSweeps(
    caller,
    all.filter(({ at }) => at <= now),
  );
  const sweeps = all.filter(({ at, count }) => at > now && count > 0);
  const live = sweeps.reduce((sum, { count }) => sum + count, 0);
  const next = Math.min(...sweeps.map(({ at }) => at));
  const resetSeconds = Number.isFinite(next) ? Math.ceil((next - now) / 1000) : 0;
  return { allowed: live <= limit, remaining: Math.max(0, limit - live), resetSeconds };
}

/** Removes the counts of past sweeps once there are many, so that the item stays small. */
async function forgetSweeps({ tenant, client }: Caller, past: Ending[]): Promise<void> {
  if (past.length > KEPT_ENDED) {
    await update(quotaKey(tenant, client, "threads", ""), { remove: removalOf(past).remove });
  }
}

/** Moves a thread's count to another sweep after a turn, or removes it from the count. */
export async function moveThread(
  tenant: Tenant,
  client: string,
  from: string,
  to: string | undefined,
  now: number,
): Promise<void> {
  if (from !== to) {
    await changeThreads(tenant, client, { [from]: -1, ...(to !== undefined && { [to]: 1 }) }, now);
  }
}

/** @param changes by sweep, ISO 8601 */
async function changeThreads(tenant: Tenant, client: string, changes: Record<string, number>, now: number) {
  const add = Object.fromEntries(Object.entries(changes).map(([at, by]) => [SWEEP + Date.parse(at) / 1000, by]));
  return send(quotaKey(tenant, client, "threads", ""), { add, set: { ttl: ttlOf(now, DAY_SECONDS) } });
}

/** @returns the changed item; undefined if the condition failed */
function update(...change: Parameters<typeof send>): Promise<Item | undefined> {
  return unlessRefused(send(...change));
}

async function unlessRefused(sent: Promise<Item>): Promise<Item | undefined> {
  try {
    return await sent;
  } catch (error) {
    conditionFailure(error);
    return undefined;
  }
}

async function send(Key: Item, change: Change, condition?: Condition): Promise<Item> {
  const { Update } = updateItem(config.quotasTable, Key, change, condition);
  const command = new UpdateCommand({ ...Update, ReturnValues: "ALL_NEW" });
  return (await dynamo.send(command, { abortSignal: AbortSignal.timeout(COUNTER_MILLISECONDS) })).Attributes ?? {};
}

/** @returns the stored item; throws any error other than a failed condition */
function conditionFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof ConditionalCheckFailedException)) {
    throw error;
  }
  return unmarshall(error.Item ?? {});
}

/** The fixed window that contains a time: its name and the seconds until it ends. */
function windowOf(now: number, seconds: number): { window: string; resetSeconds: number } {
  const second = Math.floor(now / 1000);
  const start = second - (second % seconds);
  return { window: String(start), resetSeconds: start + seconds - second };
}

/** The expiry of a counter: a day after its window, in epoch seconds. */
function ttlOf(now: number, seconds: number): number {
  return Math.ceil(now / 1000) + seconds + DAY_SECONDS;
}
