import { randomBytes } from "node:crypto";
import { config } from "../config.ts";
import { allOf, beginsWith, equals, isAsRead } from "../dynamo/expressions.ts";
import { feedbackKey, feedbackPrefix, threadPartition, turnNumberOf } from "../dynamo/keys.ts";
import { queryItems, readItem } from "../dynamo/query.ts";
import { retries } from "../dynamo/retries.ts";
import { type Action, deleteItem, put, transact } from "../dynamo/transact.ts";
import type { NewEvent } from "../events/event.ts";
import { recordEvent } from "../events/outbox.ts";
import type { Tenant } from "../tenant.ts";
import { answerPlace, messageId } from "../threads/message-id.ts";
import { contentTtlAt, type Thread } from "../threads/thread.ts";
import { countWrite, readThread } from "../threads/thread-repository.ts";
import type { Counter } from "./counter.ts";
import { changeCount } from "./counter-repository.ts";
import { type Feedback, REASONS, type Reason } from "./feedback.ts";

/** Feedback on an answer, in its thread's partition, and so deleted together with it. */
interface Entry extends Feedback {
  /** Where it is counted, so that a later change uncounts it there. */
  counter: Counter;
  /** Random; changes with every write. */
  revision: string;
}

/** The result of storing or withdrawing feedback. */
export type Stored = { kind: "stored"; entry: Feedback; isNew: boolean } | { kind: "thread-gone" };

/**
 * Stores feedback on the answer of a turn, in place of earlier feedback on it, and counts it in the same transaction.
 * Nothing is written if it is the same as before.
 *
 * @param counter where it is counted if it is the first feedback on the answer; later feedback differs only in its
 *   rating
 * @param event recorded if there was no feedback on the answer before
 * @throws the database's error if it is unreachable or stays busy
 */
export async function storeFeedback(
  tenant: Tenant,
  thread: Thread,
  turnNumber: number,
  given: Omit<Feedback, "updatedAt">,
  counter: Counter,
  event: NewEvent,
): Promise<Stored> {
  const pause = retries();
  let first: string | undefined; // the revision of ours, if there was no feedback before
  for (;;) {
    const before = await readEntry(tenant, thread, turnNumber);
    if (before && isSame(before, given)) {
      return { kind: "stored", entry: toFeedback(before), isNew: before.revision === first };
    }
    const revision = newRevision();
    first = before ? undefined : revision;
    const counted = before ? { ...before.counter, rating: given.rating } : counter;
    let entry: Entry | undefined;
    const refusal = await transact(() => {
      const now = Date.now();
      entry = { ...given, updatedAt: new Date(now).toISOString(), counter: counted, revision };
      return {
        thread: countWrite(tenant, thread, now),
        entry: put(
          config.threadsTable,
          { ...entryKey(tenant, thread, turnNumber), ...entry, ttl: contentTtlAt(now) },
          isUnchanged(before),
        ),
        counts: changeCounts(tenant, before, entry),
        event: before ? undefined : recordEvent(tenant, event, now),
      };
    }, pause);
    if (!refusal && entry) {
      return { kind: "stored", entry: toFeedback(entry), isNew: !before };
    }
    if (refusal?.failed.thread) {
      return { kind: "thread-gone" };
    }
    await pause(refusal?.error);
  }
}

/**
 * Deletes the feedback on the answer of a turn, if there is any, and uncounts it in the same transaction.
 *
 * @returns whether the thread still existed
 * @throws the database's error if it is unreachable or stays busy
 */
export async function deleteFeedback(tenant: Tenant, thread: Thread, turnNumber: number): Promise<boolean> {
  const pause = retries();
  for (;;) {
    const entry = await readEntry(tenant, thread, turnNumber);
    if (!entry) {
      // The deletion of the thread may have removed it first, and then it still counts.
      return (await readThread(tenant, thread.threadId))?.generation === thread.generation;
    }
    const refusal = await transact(
      () => ({
        thread: countWrite(tenant, thread, Date.now()),
        entry: deleteItem(config.threadsTable, entryKey(tenant, thread, turnNumber), isUnchanged(entry)),
        counts: changeCounts(tenant, entry, undefined),
      }),
      pause,
    );
    if (!refusal || refusal.failed.thread) {
      return !refusal;
    }
    await pause(refusal.error); // the feedback has changed
  }
}

/** Reads all feedback of a thread, by the id of the message. */
export async function readFeedback(tenant: Tenant, thread: Thread): Promise<Map<string, Feedback>> {
  const ofThread = equals("pk", threadPartition(tenant, thread.threadId));
  const keys = allOf(ofThread, beginsWith("sk", feedbackPrefix(thread.generation)));
  const entries = await Array.fromAsync(queryItems(config.threadsTable, { keys }), (item) => {
    const id = messageId(thread, answerPlace(turnNumberOf(String(item.sk))));
    return [id, toFeedback(item as unknown as Entry)] as const;
  });
  return new Map(entries);
}

async function readEntry(tenant: Tenant, thread: Thread, turnNumber: number): Promise<Entry | undefined> {
  return (await readItem(config.threadsTable, entryKey(tenant, thread, turnNumber))) as Entry | undefined;
}

function entryKey(tenant: Tenant, { threadId, generation }: Thread, turnNumber: number) {
  return feedbackKey(tenant, threadId, generation, turnNumber);
}

/** The entry is as it was read: its revision changes with every write. */
function isUnchanged(read: Entry | undefined) {
  return isAsRead("revision", read?.revision);
}

/** Changes one count, or moves feedback from one to another: a transaction cannot write the same item twice. */
function changeCounts(tenant: Tenant, before: Entry | undefined, after: Entry | undefined): Action[] {
  if (before && after && before.counter.rating === after.counter.rating) {
    const changes = reasonChanges(before, after);
    return Object.keys(changes).length === 0 ? [] : [changeCount(tenant, after.counter, 0, changes)];
  }
  return [
    ...(before ? [changeCount(tenant, before.counter, -1, reasonChanges(before, undefined))] : []),
    ...(after ? [changeCount(tenant, after.counter, 1, reasonChanges(undefined, after))] : []),
  ];
}

function reasonChanges(before: Entry | undefined, after: Entry | undefined): Partial<Record<Reason, number>> {
  const given = (entry: Entry | undefined, reason: Reason) => Number(entry?.reasons.includes(reason) ?? false);
  const changes = REASONS.map((reason) => [reason, given(after, reason) - given(before, reason)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

function isSame(before: Feedback, { rating, reasons, comment }: Omit<Feedback, "updatedAt">): boolean {
  return before.rating === rating && before.comment === comment && before.reasons.join() === reasons.join();
}

function toFeedback({ rating, reasons, comment, updatedAt }: Feedback): Feedback {
  return { rating, reasons, comment, updatedAt };
}

function newRevision(): string {
  return randomBytes(9).toString("base64url");
}
