import { config } from "../config.ts";
import { allOf, equals, isBetween } from "../dynamo/expressions.ts";
import { feedbackCounterKey, feedbackDays } from "../dynamo/keys.ts";
import { queryItems } from "../dynamo/query.ts";
import { update } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { type Counter, FIELDS } from "./counter.ts";
import type { Reason } from "./feedback.ts";

/** How long counts are kept. */
export const COUNTED_DAYS = 400;

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** How much feedback has the values of a counter, and how often it gives each reason. */
export interface Count {
  counter: Counter;
  count: number;
  reasons: Partial<Record<Reason, number>>;
}

/**
 * The part of a write of feedback that changes a count.
 *
 * @param change 1 to count feedback, -1 to uncount it, 0 if only its reasons change
 * @param reasons how much the count of each reason changes
 */
export function changeCount(
  tenant: Tenant,
  counter: Counter,
  change: number,
  reasons: Partial<Record<Reason, number>>,
) {
  const values = FIELDS.slice(1).map((field) => counter[field] ?? "");
  const expiry = Date.parse(counter.day) + (COUNTED_DAYS + 1) * DAY_MILLISECONDS;
  return update(config.feedbackTable, feedbackCounterKey(tenant, counter.day, values), {
    add: { count: change, ...reasons },
    set: { counted: counter, ttl: expiry / 1000 },
  });
}

/**
 * Reads the counts of some days.
 *
 * @param from the first day, as ISO 8601
 * @param to the last day
 */
export async function* readCounts(tenant: Tenant, from: string, to: string): AsyncGenerator<Count, void, void> {
  const { pk, first, last } = feedbackDays(tenant, from, to);
  const keys = allOf(equals("pk", pk), isBetween("sk", first, last));
  const items = queryItems(config.feedbackTable, { keys }, { ConsistentRead: false });
  for await (const { pk: _pk, sk: _sk, ttl: _ttl, counted, count, ...reasons } of items) {
    yield { counter: counted as Counter, count: Number(count), reasons: reasons as Count["reasons"] };
  }
}
