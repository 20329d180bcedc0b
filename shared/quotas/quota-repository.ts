import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { quotaKey } from "../dynamo/keys.ts";
import type { Caller } from "../request/caller.ts";
import type { Tenant } from "../tenant.ts";

/** How long a request waits for a counter. A healthy one responds within milliseconds. */
const COUNTER_MILLISECONDS = 1_000;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * 60;

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
  const used = await update({
    Key: quotaKey(caller.tenant, caller.client, "requests", window),
    UpdateExpression: "ADD used :one SET #ttl = :ttl",
    ConditionExpression: "attribute_not_exists(used) OR used < :limit",
    ExpressionAttributeNames: { "#ttl": "ttl" },
    ExpressionAttributeValues: { ":one": 1, ":limit": limit, ":ttl": ttlOf(now, MINUTE_SECONDS) },
    ReturnValues: "UPDATED_NEW",
  });
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
  await update({
    Key: quotaKey(tenant, client, "tokens", window),
    UpdateExpression: "ADD used :tokens SET #ttl = :ttl",
    ExpressionAttributeNames: { "#ttl": "ttl" },
    ExpressionAttributeValues: { ":tokens": tokens, ":ttl": ttlOf(now, DAY_SECONDS) },
  });
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
  const take = (ended: Ending[]): UpdateCommandInput => {
    const removal = removalOf(ended);
    return {
      TableName: config.quotasTable,
      Key: quotaKey(caller.tenant, caller.client, "chats", ""),
      UpdateExpression: `ADD inUse :change, #lease :one SET #ttl = :ttl ${removal.remove}`,
      ConditionExpression: ["(attribute_not_exists(inUse) OR inUse < :limit)", ...removal.conditions].join(" AND "),
      ExpressionAttributeNames: { "#ttl": "ttl", "#lease": leaseName(until), ...removal.names },
      ExpressionAttributeValues: {
        ":change": 1 - removal.sum,
        ":one": 1,
        ":ttl": ttlOf(now, DAY_SECONDS),
        ":limit": limit + removal.sum,
        ...removal.values,
      },
      ReturnValues: "UPDATED_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    };
  };
  try {
    const first = await send(take([]));
    return { allowed: true, remaining: limit - Number(first?.inUse), resetSeconds };
  } catch (error) {
    const ended = endedLeases(conditionFailure(error), now);
    const second = ended.some(({ count }) => count > 0) ? await update(take(ended)) : undefined;
    return { allowed: second !== undefined, remaining: second ? limit - Number(second.inUse) : 0, resetSeconds };
  }
}

/** Returns a lease, and removes those of chats that died from the count if there may be many. */
export async function giveBackLease({ tenant, client }: Caller, until: number, now: number): Promise<void> {
  const Key = quotaKey(tenant, client, "chats", "");
  const item = await update({
    Key,
    UpdateExpression: "ADD inUse :less, #lease :less",
    ConditionExpression: "#lease > :none",
    ExpressionAttributeNames: { "#lease": leaseName(until) },
    ExpressionAttributeValues: { ":less": -1, ":none": 0 },
    ReturnValues: "ALL_NEW",
  });
  const removal = removalOf(endedLeases(item ?? {}, now));
  if (removal.conditions.length > KEPT_ENDED) {
    await update({
      Key,
      UpdateExpression: `ADD inUse :less ${removal.remove}`,
      ConditionExpression: removal.conditions.join(" AND "),
      ExpressionAttributeNames: removal.names,
      ExpressionAttributeValues: { ":less": -removal.sum, ...removal.values },
    });
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
    remove: ended.length > 0 ? `REMOVE ${ended.map((_, index) => `#e${index}`).join(", ")}` : "",
    conditions: ended.map((_, index) => `#e${index} = :e${index}`),
    names: Object.fromEntries(ended.map(({ name }, index) => [`#e${index}`, name])),
    values: Object.fromEntries(ended.map(({ count }, index) => [`:e${index}`, count])),
    sum: ended.reduce((sum, { count }) => sum + count, 0),
  };
}

/**
 * Counts a new thread. One item counts a client's threads by the sweep that would delete them, so an idle thread stops
 * counting by itself.
 *
 * @param sweepAt the sweep that deletes the thread, ISO 8601
 */
export async function countThread(caller: Caller, limit: number, sweepAt: string, now: number): Promise<Counted> {
  const item = await changeThreads(caller.tenant, caller.client, { [sweepAt]: 1 }, now);
  const all = endings(item ?? {}, SWEEP);
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
    const { remove, names } = removalOf(past);
    await update({
      Key: quotaKey(tenant, client, "threads", ""),
      UpdateExpression: remove,
      ExpressionAttributeNames: names,
    });
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
  const all = Object.entries(changes);
  return update({
    Key: quotaKey(tenant, client, "threads", ""),
    UpdateExpression: `ADD ${all.map((_, index) => `#s${index} :s${index}`).join(", ")} SET #ttl = :ttl`,
    ExpressionAttributeNames: {
      "#ttl": "ttl",
      ...Object.fromEntries(all.map(([at], index) => [`#s${index}`, SWEEP + Date.parse(at) / 1000])),
    },
    ExpressionAttributeValues: {
      ":ttl": ttlOf(now, DAY_SECONDS),
      ...Object.fromEntries(all.map(([, change], index) => [`:s${index}`, change])),
    },
    ReturnValues: "ALL_NEW",
  });
}

/** @returns the requested attributes; undefined if the condition failed */
async function update(input: Omit<UpdateCommandInput, "TableName">): Promise<Record<string, unknown> | undefined> {
  try {
    return (await send({ ...input, TableName: config.quotasTable })) ?? {};
  } catch (error) {
    conditionFailure(error);
    return undefined;
  }
}

async function send(input: UpdateCommandInput): Promise<Record<string, unknown> | undefined> {
  const abortSignal = AbortSignal.timeout(COUNTER_MILLISECONDS);
  return (await dynamo.send(new UpdateCommand(input), { abortSignal })).Attributes;
}

/** @returns the stored item, if requested; throws any error other than a failed condition */
function conditionFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof ConditionalCheckFailedException)) {
    throw error;
  }
  return error.Item ? unmarshall(error.Item) : {};
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
