import { BatchWriteCommand, DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { updateItem, writeConditionally } from "../dynamo/conditional-write.ts";
import { allOf, equals, isAtMost, isMissing, isPresent } from "../dynamo/expressions.ts";
import { patientThreadKey, sweepAt, THREAD_SK, threadKey, threadPartition } from "../dynamo/keys.ts";
import { queryItems } from "../dynamo/query.ts";
import { type Pause, retries } from "../dynamo/retries.ts";
import { deleteItem, type FailedConditions, transact, update } from "../dynamo/transact.ts";
import { EVENT_DAYS, type NewEvent } from "../events/event.ts";
import { recordEvent } from "../events/outbox.ts";
import { deleteCreation } from "../idempotency/creation-record-repository.ts";
import type { Tenant } from "../tenant.ts";
import { uncount } from "./live-threads.ts";
import { isExpired } from "./thread.ts";

/** The maximum of a BatchWriteItem call (Amazon DynamoDB, "Service quotas"). */
const BATCH_KEYS = 25;

type Key = { pk: string; sk: string };

/** The reason for a removal: a caller's DELETE, the sweep, or the erasure of the thread's patient. */
type Reason = "active" | "expired" | "erased";

/** The partition of a thread. */
interface Partition {
  tenant: Tenant;
  threadId: string;
  thread: {
    generation: string;
    version: number;
    expiresAt: string;
    deleting: boolean;
    messageCount: number;
    /** The patient it is linked or bound to. */
    patientId: string | undefined;
    /** Whether it was bound to the patient by a chat: events of the time before do not name the patient. */
    isBound: boolean;
    creationRecord: string | undefined;
    countedFor?: string | undefined;
    /** Whether it is removed because it has expired, which is an event; not if a caller's removal was interrupted. */
    expired: boolean;
  };
  /** The keys of all items except the thread's own. */
  contents: Key[];
}

/**
 * Removes a caller's thread and everything under its id, atomically for every reader: it is first marked as deleted
 * (from then on it does not exist for any caller, and its id is not free), then its contents are deleted in batches,
 * and its own item last. A later sweep finishes an interrupted removal. A transaction of all deletions would cost twice
 * as many write units.
 *
 * @returns whether this call removed the thread; false if it has expired
 * @throws the database's error if it is unreachable, or if the thread is still being written to after all retries
 */
export async function removeThread(tenant: Tenant, threadId: string): Promise<boolean> {
  const hidden = await hide(tenant, threadId, "active");
  if (!hidden || hidden.thread.expired) {
    return false;
  }
  await removeItems([...hidden.contents, ...deletedLinkOf(hidden)]);
  await keepLink(hidden);
  await removeMarked(hidden);
  await uncount(tenant, hidden.thread);
  return true;
}

/**
 * Removes expired threads, as {@link removeThread} does, for the sweep. A chat that was committed before the removal
 * keeps its thread. The threads share batches, because a batch has room for more than the ten turns of a typical
 * thread.
 *
 * @returns for each thread, whether this call removed it; throws as {@link removeThread}
 */
export function removeExpired(threads: { tenant: Tenant; threadId: string }[]): Promise<boolean>[] {
  const marks = threads.map(({ tenant, threadId }) => hide(tenant, threadId, "expired"));
  const emptied = Promise.allSettled(marks).then(async (settled) => {
    const hidden = settled.flatMap((mark) => (mark.status === "fulfilled" ? (mark.value ?? []) : []));
    await removeItems(
      hidden.flatMap((partition) => [
        ...partition.contents,
        ...(partition.thread.expired ? [] : deletedLinkOf(partition)),
      ]),
    );
    await Promise.all(hidden.filter(({ thread }) => !thread.expired).map(keepLink));
  });
  return marks.map(async (mark) => {
    const hidden = await mark;
    if (!hidden) {
      return false;
    }
    await emptied;
    return hidden.thread.expired ? removeWithEvent(hidden) : removeMarked(hidden);
  });
}

/**
 * Removes a thread in any state, as part of an erasure, except for its link, which the caller deletes afterwards, so
 * that an interrupted erasure finds the thread again.
 *
 * @returns the number of messages that it had; undefined if it no longer exists
 * @throws as {@link removeThread}
 */
export async function eraseThread(
  tenant: Tenant,
  { threadId, generation }: { threadId: string; generation: string },
): Promise<number | undefined> {
  const hidden = await hide(tenant, threadId, "erased", generation);
  if (!hidden) {
    return undefined;
  }
  await removeItems(hidden.contents);
  await removeMarked(hidden);
  await uncount(tenant, hidden.thread);
  return hidden.thread.messageCount;
}

/**
 * Marks a thread as being deleted, unless an interrupted removal has done so already.
 *
 * The condition "version as read" means that nothing was added after the contents were listed; if it fails, they are
 * listed again. A thread that has reused the id in the meantime, which has another generation, is not affected.
 *
 * @param ofGeneration the thread's, if known; otherwise that of the first read
 * @returns the thread and its contents; undefined if there is none to remove for this reason
 */
async function hide(
  tenant: Tenant,
  threadId: string,
  reason: Reason,
  ofGeneration?: string,
): Promise<Partition | undefined> {
  const pause = retries();
  let read: Partition | undefined;
  let uncertain = false; // whether our own write may have marked the thread
  let recordReplaced = false;
  for (;;) {
    const partition = await readPartition(tenant, threadId);
    const generation = ofGeneration ?? read?.thread.generation ?? partition?.thread.generation;
    if (!partition || partition.thread.generation !== generation) {
      return uncertain && reason !== "expired" ? read : undefined; // a sweep may have finished our removal
    }
    read = partition;
    const { thread } = partition;
    if (thread.deleting && (reason !== "active" || uncertain)) {
      return partition;
    }
    const expired = isExpired(thread, Date.now());
    if (thread.deleting || (reason === "expired" && !expired)) {
      return undefined;
    }
    if (recordReplaced) {
      thread.creationRecord = undefined;
    }
    // A caller's removal leaves an expired thread to the sweep. Marked, no turn that began in time brings it back.
    const asExpired = reason !== "erased" && expired;
    const refusal = await mark(partition, asExpired, pause);
    if (!refusal) {
      thread.expired = asExpired;
      return partition;
    }
    uncertain ||= refusal.uncertain;
    recordReplaced ||= refusal.failed.creation !== undefined;
    await pause(refusal.error);
  }
}

/** The patient's link is among the last items, so that an erasure finds a thread that still has messages. */
function linkOf({ tenant, threadId, thread: { patientId, generation } }: Partition): Key[] {
  return patientId === undefined ? [] : [patientThreadKey(tenant, patientId, generation, threadId)];
}

/** The link that is deleted with a thread. That of a bound thread is kept ({@link keepLink}). */
function deletedLinkOf(partition: Partition): Key[] {
  return partition.thread.isBound ? [] : linkOf(partition);
}

/**
 * Keeps the link of a bound thread for as long as events: an erasure of the patient finds the events of the time before
 * the thread was bound by its generation, which only the link leads to. The end of an expired thread is an event that
 * names both, so its link is not needed.
 */
async function keepLink(partition: Partition): Promise<void> {
  const [link] = partition.thread.isBound ? linkOf(partition) : [];
  if (link) {
    const ttl = Math.ceil(Date.now() / 1000) + EVENT_DAYS * 24 * 60 * 60;
    await updateItem(config.threadsTable, link, { set: { ttl } }, isPresent); // an erasure may have deleted it
  }
}

/** The attributes that a removal needs. The others, such as a turn's words, are not transferred. */
const READ = [
  "sk",
  "generation",
  "version",
  "expiresAt",
  "deleting",
  "expired",
  "messageCount",
  "patientId",
  "boundPatientId",
  "creationRecord",
  "countedFor",
];

async function readPartition(tenant: Tenant, threadId: string): Promise<Partition | undefined> {
  const pk = threadPartition(tenant, threadId);
  const contents: Key[] = [];
  let thread: Partition["thread"] | undefined;
  for await (const found of queryItems(config.threadsTable, { keys: equals("pk", pk), attributes: READ })) {
    if (found.sk === THREAD_SK) {
      thread = {
        generation: String(found.generation),
        version: Number(found.version),
        expiresAt: String(found.expiresAt),
        deleting: found.deleting === true,
        messageCount: Number(found.messageCount),
        patientId: (found.patientId ?? found.boundPatientId ?? undefined) as string | undefined,
        isBound: found.boundPatientId !== undefined,
        creationRecord: found.creationRecord as string | undefined,
        countedFor: found.countedFor === undefined ? undefined : String(found.countedFor),
        expired: found.expired === true,
      };
    } else {
      contents.push({ pk, sk: String(found.sk) });
    }
  }
  return thread && { tenant, threadId, thread, contents };
}

/**
 * Hides the thread from every caller, on condition that it is unchanged since the read and, if it has expired, still has.
 * If the removal is interrupted, the next sweep finishes it: for a sweep's own, the thread is already in the index.
 */
function mark(
  { tenant, threadId, thread }: Partition,
  asExpired: boolean,
  pause: Pause,
): Promise<FailedConditions<"creation"> | undefined> {
  const now = Date.now();
  const marks = asExpired ? { expired: true } : { sweepAt: sweepAt(now, config.clock) };
  const marking = update(
    config.threadsTable,
    threadKey(tenant, threadId),
    { set: { deleting: true, ...marks }, remove: ["metadata", "creationRecord"] },
    allOf(
      equals("generation", thread.generation),
      equals("version", thread.version),
      isMissing("deleting"),
      asExpired ? isAtMost("expiresAt", new Date(now).toISOString()) : undefined,
    ),
  );
  const { creationRecord, generation } = thread;
  return creationRecord
    ? transact(() => ({ thread: marking, creation: deleteCreation(creationRecord, generation) }), pause)
    : writeConditionally(() => dynamo.send(new UpdateCommand(marking.Update)), pause);
}

/** Deletes items of the threads table, in batches. */
export async function removeItems(keys: Key[]): Promise<void> {
  for (let start = 0; start < keys.length; start += BATCH_KEYS) {
    await deleteBatch(keys.slice(start, start + BATCH_KEYS));
  }
}

/**
 * Deletes a marked thread's own item, on condition that no other removal has deleted it already: its id may be in use
 * again.
 *
 * @returns whether this call deleted it; true also if its own attempt may have done so without a response. Two sweeps
 *   that overlap then both count the thread. A transaction, which recognizes its own repetition, would cost another
 *   write unit for every thread; a wrong count only affects a metric.
 */
async function removeMarked(partition: Partition): Promise<boolean> {
  const { Delete } = deletionOf(partition);
  const refusal = await writeConditionally(() => dynamo.send(new DeleteCommand(Delete)));
  return refusal === undefined || refusal.uncertain;
}

function deletionOf({ tenant, threadId, thread }: Partition) {
  const isMarked = allOf(equals("generation", thread.generation), equals("deleting", true));
  return deleteItem(config.threadsTable, threadKey(tenant, threadId), isMarked);
}

/**
 * Deletes the own item of a marked thread that has expired, and records that. The link from its patient is deleted in
 * the same transaction: an erasure either finds the link, and waits until the thread is gone, or finds the event.
 *
 * @returns whether this call deleted it
 */
async function removeWithEvent(partition: Partition): Promise<boolean> {
  const { tenant, threadId, thread } = partition;
  const { generation, patientId, expiresAt } = thread;
  const [link] = linkOf(partition);
  const event: NewEvent = { type: "thread.expired", threadId, generation, patientId, expiresAt };
  const refusal = await transact(() => ({
    thread: deletionOf(partition),
    link: link && deleteItem(config.threadsTable, link),
    event: recordEvent(tenant, event, Date.now()),
  }));
  return refusal === undefined || refusal.uncertain;
}

/** Deletes up to 25 items. Retries those that DynamoDB leaves unprocessed under load. */
async function deleteBatch(keys: Key[]): Promise<void> {
  const TableName = config.threadsTable;
  const pause = retries();
  let requests = keys.map((Key) => ({ DeleteRequest: { Key: Key as Record<string, unknown> } }));
  for (;;) {
    const { UnprocessedItems } = await dynamo.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
    requests = (UnprocessedItems?.[TableName] ?? []) as typeof requests;
    if (requests.length === 0) {
      return;
    }
    await pause(new Error("DynamoDB left items of a batch unprocessed in every attempt"));
  }
}
