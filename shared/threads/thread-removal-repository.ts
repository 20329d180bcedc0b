import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { deleteCreation } from "../dynamo/creation-records.ts";
import { patientThreadKey, sweepAt, THREAD_SK, threadKey, threadPartition } from "../dynamo/keys.ts";
import { type Pause, retries } from "../dynamo/retries.ts";
import { type Refusal, transact } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { uncount } from "./live-threads.ts";
import { isExpired } from "./thread.ts";

/** The maximum of a BatchWriteItem call (Amazon DynamoDB, "Service quotas"). */
const BATCH_KEYS = 25;
const RETRIES = 20;

type Key = { pk: string; sk: string };

/** The reason for a removal: a caller's DELETE, the sweep, or the erasure of the thread's patient. */
type Reason = "active" | "expired" | "erased";

/** The contents of a thread's partition. */
interface Partition {
  thread: {
    generation: string;
    version: number;
    expiresAt: string;
    deleting: boolean;
    messageCount: number;
    /** The patient it is linked or bound to. */
    patientId: string | undefined;
    creationRecord: string | undefined;
    countedFor?: string | undefined;
  };
  /** The keys of all items except the thread's own. */
  contents: Key[];
}

/**
 * Removes a thread and everything under its id, atomically for every reader: it is first marked as deleted (from then on
 * it does not exist for any caller, and its id is not free), then its contents are deleted in batches, and its own item
 * last. A later sweep finishes an interrupted removal. A transaction of all deletions would cost twice as many write
 * units.
 *
 * The condition "version as read" means that nothing was added after the contents were listed; if it fails, they are
 * listed again. A thread that has reused the id in the meantime, which has another generation, is not affected.
 *
 * @param only "active" for a caller's DELETE, "expired" for the sweep: a chat committed before it keeps the thread
 * @returns whether this call removed the thread
 * @throws the database's error if it is unreachable, or if the thread is still being written to after all retries
 */
export async function removeThread(tenant: Tenant, threadId: string, only: "active" | "expired"): Promise<boolean> {
  return (await remove(tenant, threadId, only)) !== undefined;
}

/**
 * Removes a thread in any state, as part of an erasure, except for its link, which the caller deletes afterwards, so that
 * an interrupted erasure finds the thread again.
 *
 * @returns the number of messages that it had; undefined if it no longer exists
 * @throws as {@link removeThread}
 */
export async function eraseThread(
  tenant: Tenant,
  { threadId, generation }: { threadId: string; generation: string },
): Promise<number | undefined> {
  return remove(tenant, threadId, "erased", generation);
}

async function remove(
  tenant: Tenant,
  threadId: string,
  reason: Reason,
  ofGeneration?: string,
): Promise<number | undefined> {
  const pause = retries({ attempts: RETRIES });
  let generation = ofGeneration;
  let messages = 0;
  let uncertain = false; // whether our own write may have marked the thread
  let recordReplaced = false;
  for (;;) {
    const partition = await readPartition(tenant, threadId);
    generation ??= partition?.thread.generation;
    if (!partition || partition.thread.generation !== generation) {
      return uncertain && reason !== "expired" ? messages : undefined;
    }
    const { thread, contents } = partition;
    messages = thread.messageCount;
    const marked: boolean = thread.deleting && (reason !== "active" || uncertain);
    const wanted = reason === "erased" || isExpired(thread, Date.now()) === (reason === "expired");
    if (!marked && (thread.deleting || !wanted)) {
      return undefined;
    }
    if (recordReplaced) {
      thread.creationRecord = undefined;
    }
    const refusal: Refusal<"creation"> | undefined = marked
      ? undefined
      : await markDeleting(tenant, threadId, partition, reason, pause);
    if (refusal) {
      uncertain ||= refusal.uncertain;
      recordReplaced ||= refusal.failed.creation !== undefined;
      await pause(refusal.error);
      continue;
    }
    // The link is among the last items, so that the erasure of the patient finds a thread that still has messages.
    const patientId = reason === "erased" ? undefined : thread.patientId;
    const links = patientId === undefined ? [] : [patientThreadKey(tenant, patientId, generation, threadId)];
    await removeItems([...contents, ...links]);
    const ours = await removeMarked(tenant, threadId, generation);
    if (reason === "expired") {
      return ours ? messages : undefined; // of several sweeps, the last to write counts the thread
    }
    await uncount(tenant, thread);
    return messages;
  }
}

async function readPartition(tenant: Tenant, threadId: string): Promise<Partition | undefined> {
  const pk = threadPartition(tenant, threadId);
  const contents: Key[] = [];
  let thread: Partition["thread"] | undefined;
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(
      new QueryCommand({
        TableName: config.threadsTable,
        KeyConditionExpression: "pk = :thread",
        ExpressionAttributeValues: { ":thread": pk },
        ProjectionExpression:
          "sk, generation, version, expiresAt, deleting, messageCount, patientId, boundPatientId, creationRecord, countedFor",
        ConsistentRead: true,
        ExclusiveStartKey: next,
      }),
    );
    for (const found of page.Items ?? []) {
      if (found.sk === THREAD_SK) {
        thread = {
          generation: String(found.generation),
          version: Number(found.version),
          expiresAt: String(found.expiresAt),
          deleting: found.deleting === true,
          messageCount: Number(found.messageCount),
          patientId: (found.patientId ?? found.boundPatientId ?? undefined) as string | undefined,
          creationRecord: found.creationRecord as string | undefined,
          countedFor: found.countedFor === undefined ? undefined : String(found.countedFor),
        };
      } else {
        contents.push({ pk, sk: String(found.sk) });
      }
    }
    next = page.LastEvaluatedKey;
  } while (next);
  return thread && { thread, contents };
}

/**
 * Hides the thread from every caller, on condition that it is unchanged since the read and, for a sweep, still expired.
 * If the removal is interrupted, the next sweep finishes it: for a sweep's own, the thread is already in the index.
 */
function markDeleting(tenant: Tenant, threadId: string, { thread }: Partition, reason: Reason, pause: Pause) {
  const bySweep = reason === "expired";
  const actions = () => ({
    thread: {
      Update: {
        TableName: config.threadsTable,
        Key: threadKey(tenant, threadId),
        UpdateExpression: `SET deleting = :deleting${
          bySweep ? "" : ", sweepAt = :sweep"
        } REMOVE metadata, creationRecord`,
        ConditionExpression: `generation = :generation AND version = :version AND attribute_not_exists(deleting)${
          bySweep ? " AND expiresAt <= :now" : ""
        }`,
        ExpressionAttributeValues: {
          ":generation": thread.generation,
          ":version": thread.version,
          ":deleting": true,
          ...(bySweep ? { ":now": new Date().toISOString() } : { ":sweep": sweepAt(Date.now(), config.clock) }),
        },
      },
    },
    creation: thread.creationRecord ? deleteCreation(thread.creationRecord, thread.generation) : undefined,
  });
  return transact(actions, pause);
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
 * @returns whether this call deleted it; true also if its own attempt may have done so without a response. Two sweeps that
 *   overlap then both count the thread. A transaction, which recognizes its own repetition, would cost another write unit for
 *   every thread; a wrong count only affects a metric.
 */
async function removeMarked(tenant: Tenant, threadId: string, generation: string): Promise<boolean> {
  const pause = retries({ attempts: RETRIES });
  let uncertain = false;
  for (;;) {
    try {
      await dynamo.send(
        new DeleteCommand({
          TableName: config.threadsTable,
          Key: threadKey(tenant, threadId),
          ConditionExpression: "generation = :generation AND deleting = :deleting",
          ExpressionAttributeValues: { ":generation": generation, ":deleting": true },
        }),
      );
      return true;
    } catch (error) {
      const refused = error instanceof ConditionalCheckFailedException;
      if (!refused && !(error instanceof TransactionConflictException)) {
        throw error;
      }
      uncertain ||= (error.$metadata.attempts ?? 1) > 1;
      if (refused) {
        return uncertain;
      }
      await pause(error);
    }
  }
}

/** Deletes up to 25 items. Retries those that DynamoDB leaves unprocessed under load. */
async function deleteBatch(keys: Key[]): Promise<void> {
  const TableName = config.threadsTable;
  const pause = retries({ attempts: RETRIES });
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
