import { config } from "../config.ts";
import { allOf, equals, isAtMost } from "../dynamo/expressions.ts";
import { BY_SWEEP, type Due, ofDueItem } from "../dynamo/keys.ts";
import { queryItems } from "../dynamo/query.ts";

/** The number of items of a page, which limits the memory of a sweep. */
const PAGE = 1_000;

/** A thread, an erasure or a request for a person, with the time of the sweep at which it is due, ISO 8601. */
export interface DueAt {
  due: Due;
  sweep: string;
}

/**
 * Lists the items of a shard that are due, the oldest first, of all tenants: threads, interrupted erasures, and
 * requests for a person. Besides that of due deliveries, this is the only read that spans tenants, and it returns only
 * keys. The index is eventually consistent and may contain threads that have changed since: `removeExpired` reads each
 * one again.
 *
 * @param now milliseconds since the epoch
 */
export async function* threadsDue(shard: number, now: number): AsyncGenerator<DueAt, void, void> {
  const keys = allOf(equals("sweepShard", String(shard)), isAtMost("sweepAt", new Date(now).toISOString()));
  const index = { IndexName: BY_SWEEP, Limit: PAGE };
  const items = queryItems(config.threadsTable, { keys, attributes: ["pk", "sk", "sweepAt"] }, index);
  for await (const { pk, sk, sweepAt } of items) {
    yield { due: ofDueItem(String(pk), String(sk)), sweep: String(sweepAt) };
  }
}
