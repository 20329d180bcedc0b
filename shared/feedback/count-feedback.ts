import type { ResponseOf } from "../contract/operation.ts";
import type { CallerContext } from "../request/request-context.ts";
import { type Counter, FIELDS, type Field } from "./counter.ts";
import { COUNTED_DAYS, type Count, readCounts } from "./counter-repository.ts";
import type { feedbackDocs } from "./docs.ts";
import type { FeedbackGroup } from "./feedback-counts.ts";

/**
 * Counts are rounded down to a multiple of this, so that smaller groups are hidden, and the difference between two
 * counts says little about those that are in only one of them.
 */
const ROUNDING = 5;

/** The days and fields by which feedback is counted. */
export interface Selection {
  /** The first day, as ISO 8601. */
  from: string;
  /** The last day. */
  to: string;
  by: Field[];
}

/**
 * `GET /feedback`: counts the feedback of some days by some of its fields. Days for which counts are no longer kept are
 * left out, even if they are not deleted yet.
 */
export async function countFeedback(
  { caller }: CallerContext,
  { from, to, by }: Selection,
): Promise<ResponseOf<typeof feedbackDocs, "count-feedback">> {
  const oldest = new Date(Date.now() - COUNTED_DAYS * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const first = from > oldest ? from : oldest;
  const fields = FIELDS.filter((field) => by.includes(field));
  const groups = new Map<string, Count>();
  const counts = first <= to ? readCounts(caller.tenant, first, to) : [];
  for await (const { counter, count, reasons } of counts) {
    const key = JSON.stringify(fields.map((field) => counter[field]));
    const group = groups.get(key) ?? { counter, count: 0, reasons: {} };
    groups.set(key, { counter, count: group.count + count, reasons: added(group.reasons, reasons) });
  }
  const shown = [...groups.values()].filter(({ count }) => count >= ROUNDING);
  return { success: true, from, to, groups: shown.map((group) => rounded(group, fields)) };
}

function added(one: Count["reasons"], other: Count["reasons"]): Count["reasons"] {
  const before = new Map(Object.entries(one));
  const sums = Object.entries(other).map(([reason, count]) => [reason, (before.get(reason) ?? 0) + count]);
  return { ...one, ...Object.fromEntries(sums) };
}

/** Returns a group with its fields and rounded counts; reasons that are given less often are left out. */
function rounded({ counter, count, reasons }: Count, fields: Field[]): FeedbackGroup {
  const round = (value: number) => value - (value % ROUNDING);
  const often = Object.entries(reasons).filter(([, times]) => times >= ROUNDING);
  return {
    ...(Object.fromEntries(fields.map((field) => [field, counter[field]])) as Partial<Counter>),
    count: round(count),
    reasons: Object.fromEntries(often.map(([reason, times]) => [reason, round(times)])),
  };
}
