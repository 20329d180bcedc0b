import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { writeConditionally } from "../dynamo/conditional-write.ts";
import {
  allOf,
  anyOf,
  type Change,
  type Condition,
  differs,
  equals,
  exists,
  isAbsent,
  isAtMost,
  isMissing,
} from "../dynamo/expressions.ts";
import { handoffTaskKey, threadKey } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { deleteItem, transact, update } from "../dynamo/transact.ts";
import { recordEvent } from "../events/outbox.ts";
import { countWithoutRequestId } from "../observability/metrics.ts";
import type { Tenant } from "../tenant.ts";
import { type Hold, isOverdue, subjectOf, type Thread } from "./thread.ts";
import { activeThread } from "./thread-items.ts";
import { isActive, readThread } from "./thread-repository.ts";

/** The attributes of a thread's open request for a person. */
export const REQUEST = ["answerBy", "promised", "requestReason", "requestedAt"] as const;

/**
 * Puts a thread into the hands of a person, which ends an open request for one. An answer that the model is asked for
 * at this time is not stored any more, because its commit depends on `holds`. `version` stays the same: nothing is
 * added to the partition that a deletion could leave behind.
 *
 * @param by the name that users are shown
 * @param unlessHeld whether it stays with whoever holds it
 * @returns the thread; undefined if there is none. It is unchanged if the same person holds it already or, with
 *   `unlessHeld`, anybody does
 * @throws the database's error if it is unreachable or stays busy
 */
export async function holdThread(
  tenant: Tenant,
  threadId: string,
  by: string | null,
  unlessHeld = false,
): Promise<(Thread & { hold: Hold }) | undefined> {
  const change = {
    set: { heldSince: new Date().toISOString(), heldBy: by ?? undefined },
    add: { holds: 1 },
    remove: [...REQUEST, "unanswered", ...(by === null ? ["heldBy"] : [])],
  };
  const byAnother = by === null ? exists("heldBy") : anyOf(isMissing("heldBy"), differs("heldBy", by));
  const free = isMissing("heldSince");
  const thread = await changeThread(tenant, threadId, change, unlessHeld ? free : anyOf(free, byAnother));
  const { hold } = thread ?? {};
  if (thread && !hold) {
    return holdThread(tenant, threadId, by, unlessHeld); // given back between the write and the read
  }
  return thread && hold && { ...thread, hold };
}

/**
 * Gives a thread back to the model.
 *
 * @returns the thread; undefined if there is none. If nobody holds it, it is unchanged
 * @throws as {@link holdThread}
 */
export async function returnThread(tenant: Tenant, threadId: string): Promise<Thread | undefined> {
  return changeThread(tenant, threadId, { remove: ["heldSince", "heldBy"] }, exists("heldSince"));
}

/** Changes a thread, unless it is gone or has been changed so already, also by an attempt whose response was lost. */
async function changeThread(
  tenant: Tenant,
  threadId: string,
  change: Change,
  condition: Condition,
): Promise<Thread | undefined> {
  const active = allOf(isActive(Date.now()), condition);
  const { Update } = update(config.threadsTable, threadKey(tenant, threadId), change, active);
  let changed: Record<string, unknown> | undefined;
  const refusal = await writeConditionally(async () => {
    changed = (await dynamo.send(new UpdateCommand({ ...Update, ReturnValues: "ALL_NEW" }))).Attributes;
  });
  return refusal ? readThread(tenant, threadId) : activeThread(changed);
}

/**
 * Records the event `handoff.unanswered` if nobody has taken over in time, and ends the task of checking this. A task
 * for a later time, which belongs to a newer request, is kept.
 *
 * @throws the database's error if it is unreachable or stays busy
 */
export async function checkRequest(tenant: Tenant, threadId: string, generation: string): Promise<void> {
  const pause = retries();
  const Key = handoffTaskKey(tenant, threadId, generation);
  for (;;) {
    const now = Date.now();
    const thread = await readThread(tenant, threadId);
    const isOpen = thread?.generation === generation && isOverdue(thread, now) && !thread.unanswered;
    const isDue = anyOf(isAbsent, isAtMost("sweepAt", new Date(now).toISOString()));
    const task = deleteItem(config.threadsTable, Key, isDue);
    const refusal = await transact(() => ({ task, ...(isOpen && unanswered(tenant, thread, now)) }), pause);
    if (!refusal || refusal.failed.task) {
      if (!refusal && isOpen) {
        countUnanswered(thread);
      }
      return;
    }
    await pause(refusal.error); // the request was answered in the meantime, or an earlier attempt of ours recorded it
  }
}

/** Counts a request for a person once its event `handoff.unanswered` is recorded. */
export function countUnanswered({ promised }: Thread): void {
  countWithoutRequestId("UnansweredHandoffs", 1, { told: promised ? "yes" : "no" });
}

function unanswered(tenant: Tenant, thread: Thread, now: number) {
  const { threadId, generation, answerBy, expiresAt } = thread;
  const event = { type: "handoff.unanswered", ...subjectOf(thread), expiresAt } as const;
  const isOpen = allOf(equals("generation", generation), equals("answerBy", answerBy), isMissing("unanswered"));
  const change = { set: { unanswered: true } };
  return {
    thread: update(config.threadsTable, threadKey(tenant, threadId), change, allOf(isOpen, isActive(now))),
    event: recordEvent(tenant, event, now),
  };
}
