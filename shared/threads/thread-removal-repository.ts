import { BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { deleteCreation } from "../dynamo/creation-records.ts";
import {
  BY_SWEEP,
  type Due,
  ofThreadPartition,
  patientThreadKey,
  sweepAt,
  THREAD_SK,
  threadKey,
  threadPartition,
} from "../dynamo/keys.ts";
import { type Pause, retries } from "../dynamo/retries.ts";
import { type Refusal, transact } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { uncount } from "./live-threads.ts";
import { isExpired } from "./thread.ts";

/** Limits of TransactWriteItems and BatchWriteItem calls (Amazon DynamoDB, "Service quotas"). */
const TRANSACTION_ACTIONS = 100;
const BATCH_KEYS = 25;
const RETRIES = 20;

type Key = { pk: string; sk: string };

/** The reason for a removal: a caller's DELETE, the sweep, or the erasure of the thread's patient. */
type Reason = "active" | "expired" | "erased";

/** A removed thread. */
export interface Removed {
  /** The number of messages it had. */
  messages: number;
  /** Whether its link to a patient, and the items to delete with it, were certainly deleted in the same transaction. */
  atOnce: boolean;
}

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
  /** Items elsewhere that are deleted too if everything fits into one transaction. */
  along: Key[];
  /** Whether everything fits into one transaction, by the number of items and by size (one page of a query is 1 MB). */
  small: boolean;
}

/**
 * Removes a thread and everything under its id, atomically for every reader: up to 99 items besides the thread are
 * deleted in one transaction. A longer thread is first marked as deleted (from then on it does not exist for any
 * caller, and its id is not free), then its contents are deleted in batches, and its own item last. A later sweep
 * finishes an interrupted removal.
 *
 * The condition "version as read" means that nothing was added after the contents were listed; if it fails, they are
 * listed again. A thread that has reused the id in the meantime, which has another generation, is not affected.
 *
 * @param only "active" for a caller's DELETE, "expired" for the sweep: a chat committed before it keeps the thread
 * @returns whether the thread was removed
 * @throws the database's error if it is unreachable, or if the thread is still being written to after all retries
 */
export async function removeThread(tenant: Tenant, threadId: string, only: "active" | "expired"): Promise<boolean> {
  return (await remove(tenant, threadId, only)) !== undefined;
}

/**
 * Removes a thread in any state, as part of an erasure. The link of a thread that takes several writes remains until
 * the caller deletes it, so that an interrupted erasure finds the thread again.
 *
 * @param along other items to delete if the thread takes a single write
 * @returns undefined if it no longer exists
 * @throws as {@link removeThread}
 */
export async function eraseThread(
  tenant: Tenant,
  { threadId, generation }: { threadId: string; generation: string },
  along: Key[],
): Promise<Removed | undefined> {
  return remove(tenant, threadId, "erased", generation, along);
}

async function remove(
  tenant: Tenant,
  threadId: string,
  reason: Reason,
  ofGeneration?: string,
  along: Key[] = [],
): Promise<Removed | undefined> {
  const pause = retries({ attempts: RETRIES });
  let generation = ofGeneration;
  let messages = 0;
  let uncertain = false; // whether our own write may have deleted or marked the thread
  let recordReplaced = false;
  for (;;) {
    const partition = await readPartition(tenant, threadId, along);
    generation ??= partition?.thread.generation;
    if (!partition || partition.thread.generation !== generation) {
      return uncertain ? { messages, atOnce: false } : undefined;
    }
    const { thread, contents, small } = partition;
    messages = thread.messageCount;
    const marked: boolean = thread.deleting && (reason !== "active" || uncertain);
    const wanted = reason === "erased" || isExpired(thread, Date.now()) === (reason === "expired");
    if (!marked && (thread.deleting || !wanted)) {
      return undefined;
    }
    if (recordReplaced) {
      thread.creationRecord = undefined;
    }
    const removal = small ? removeAtOnce : markDeleting;
    const refusal: Refusal<"creation"> | undefined = marked
      ? undefined
      : await removal(tenant, threadId, partition, reason, pause);
    if (refusal) {
      uncertain ||= refusal.uncertain;
      recordReplaced ||= refusal.failed.creation !== undefined;
      await pause(refusal.error);
      continue;
    }
    if (marked || !small) {
      await removeItems(contents);
      await removeMarked(tenant, threadId, generation);
    }
    if (reason !== "expired") {
      await uncount(tenant, thread);
    }
    return { messages, atOnce: small && !marked };
  }
}

/**
 * Lists the items due at a sweep, of all tenants: threads and interrupted erasures. This is the only read that spans
 * tenants, and it returns only keys. The index is eventually consistent and may contain threads that have changed
 * since: {@link removeThread} reads each one again.
 *
 * @param sweep the time of the sweep, ISO 8601
 */
export async function threadsDueAt(sweep: string): Promise<Due[]> {
  const threads: Due[] = [];
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(
      new QueryCommand({
        TableName: config.threadsTable,
        IndexName: BY_SWEEP,
        KeyConditionExpression: "sweepAt = :sweep",
        ExpressionAttributeValues: { ":sweep": sweep },
        ProjectionExpression: "pk",
        ExclusiveStartKey: next,
      }),
    );
    threads.push(...(page.Items ?? []).map((item) => ofThreadPartition(String(item.pk))));
    next = page.LastEvaluatedKey;
  } while (next);
  return threads;
}

async function readPartition(tenant: Tenant, threadId: string, along: Key[]): Promise<Partition | undefined> {
  const pk = threadPartition(tenant, threadId);
  const contents: Key[] = [];
  let thread: Partition["thread"] | undefined;
  let next: Record<string, unknown> | undefined;
  let pages = 0;
  do {
    pages++;
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
  const others = thread ? 1 + Number(Boolean(thread.patientId)) + Number(Boolean(thread.creationRecord)) : 0;
  const small = contents.length + others + along.length <= TRANSACTION_ACTIONS && pages === 1;
  return thread && { thread, contents, along, small };
}

/** The condition that the thread is unchanged since the read and, for a sweep, still expired. */
function unchanged({ thread }: Partition, reason: Reason) {
  return {
    ConditionExpression: `generation = :generation AND version = :version AND attribute_not_exists(deleting)${
      reason === "expired" ? " AND expiresAt <= :now" : ""
    }`,
    ExpressionAttributeValues: {
      ":generation": thread.generation,
      ":version": thread.version,
      ...(reason === "expired" && { ":now": new Date().toISOString() }),
    },
  };
}

function removeAtOnce(tenant: Tenant, threadId: string, partition: Partition, reason: Reason, pause: Pause) {
  const TableName = config.threadsTable;
  const actions = () => ({
    thread: { Delete: { TableName, Key: threadKey(tenant, threadId), ...unchanged(partition, reason) } },
    ...removeReferences(tenant, threadId, partition, true),
    contents: [...partition.contents, ...partition.along].map((Key) => ({ Delete: { TableName, Key } })),
  });
  return transact(actions, pause);
}

/** Hides the thread from every caller. Its `sweepAt` becomes the next sweep, which finishes an interrupted removal. */
function markDeleting(tenant: Tenant, threadId: string, partition: Partition, reason: Reason, pause: Pause) {
  const actions = () => {
    const condition = unchanged(partition, reason);
    return {
      thread: {
        Update: {
          TableName: config.threadsTable,
          Key: threadKey(tenant, threadId),
          UpdateExpression:
            "SET deleting = :deleting, sweepAt = :sweep REMOVE metadata, patientId, boundPatientId, creationRecord",
          ConditionExpression: condition.ConditionExpression,
          ExpressionAttributeValues: {
            ...condition.ExpressionAttributeValues,
            ":deleting": true,
            ":sweep": sweepAt(Date.now(), config.clock),
          },
        },
      },
      ...removeReferences(tenant, threadId, partition, reason !== "erased"),
    };
  };
  return transact(actions, pause);
}

/** Deletes the references to a thread from outside its partition: its creation record and the patient's link. */
function removeReferences(tenant: Tenant, threadId: string, { thread }: Partition, withLink: boolean) {
  const { creationRecord, generation, patientId } = thread;
  const link = patientId && withLink ? patientThreadKey(tenant, patientId, generation, threadId) : undefined;
  return {
    creation: creationRecord ? deleteCreation(creationRecord, generation) : undefined,
    link: link && { Delete: { TableName: config.threadsTable, Key: link } },
  };
}

/** Deletes items of the threads table, in batches. */
export async function removeItems(keys: Key[]): Promise<void> {
  for (let start = 0; start < keys.length; start += BATCH_KEYS) {
    await deleteBatch(keys.slice(start, start + BATCH_KEYS));
  }
}

/** Deletes a marked thread's own item. If its condition fails, this or another removal has deleted it already. */
async function removeMarked(tenant: Tenant, threadId: string, generation: string): Promise<void> {
  const remove = {
    Delete: {
      TableName: config.threadsTable,
      Key: threadKey(tenant, threadId),
      ConditionExpression: "generation = :generation AND deleting = :deleting",
      ExpressionAttributeValues: { ":generation": generation, ":deleting": true },
    },
  };
  await transact(() => ({ thread: remove }), retries({ attempts: RETRIES }));
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
