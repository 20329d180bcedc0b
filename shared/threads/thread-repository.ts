import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { allOf, type Condition, equals, expressions, isAbove, isBetween, isMissing } from "../dynamo/expressions.ts";
import {
  patientThreadKey,
  randomSweepShard,
  threadKey,
  threadPartition,
  turnKey,
  turnNumberOf,
  turnPrefix,
} from "../dynamo/keys.ts";
import { queryItems, readItem } from "../dynamo/query.ts";
import { put, putNew, transact, update } from "../dynamo/transact.ts";
import { type CreationRequest, putCreation, type StoredResponse } from "../idempotency/creation-record-repository.ts";
import { notErased } from "../patients/patient-repository.ts";
import type { Tenant } from "../tenant.ts";
import { CONTEXT_MESSAGES, deletionTimes, type Thread, type Turn } from "./thread.ts";
import { activeThread, turnItem, turnOf } from "./thread-items.ts";

/** A thread with its last turns, oldest first. */
export interface Conversation {
  thread: Thread;
  turns: Turn[];
}

/** The data stored together with a new thread. */
export interface InsertOptions {
  /** Its first turn. */
  opening?: Turn | undefined;
  /** The request's idempotency key and the response to store under it. */
  creation?: { request: CreationRequest; response: StoredResponse } | undefined;
}

/** The result of storing a thread. An id is taken even by a thread that has expired but is not swept yet. */
export type ThreadInsertion =
  | { kind: "inserted" }
  | { kind: "id-taken" }
  | { kind: "patient-erased" }
  | { kind: "key-used" };

/**
 * Stores a new thread unless its id is taken. If it has a patient, the link from the patient is stored too.
 *
 * @returns `key-used` if another request with the idempotency key has created a thread
 * @throws the database's error if it is unreachable or stays busy
 */
export async function insertThread(
  tenant: Tenant,
  thread: Thread,
  { opening, creation }: InsertOptions = {},
): Promise<ThreadInsertion> {
  const item = {
    ...threadKey(tenant, thread.threadId),
    ...thread,
    creationRecord: creation?.request.record.pk,
    metadata: thread.metadata && JSON.stringify(thread.metadata),
    version: 0,
    ...deletionTimes(thread, config.clock),
    sweepShard: randomSweepShard(),
  };
  const turn = opening && turnItem(tenant, thread, 0, opening, Date.parse(thread.createdAt));
  const actions = {
    thread: putNew(config.threadsTable, item),
    opening: turn && putNew(config.threadsTable, turn),
    creation: creation && putCreation(creation.request, thread.generation, creation.response),
    ...(thread.patientId !== null && linkToPatient(tenant, thread, thread.patientId)),
  };
  const refusal = await transact(() => actions);
  if (!refusal || refusal.failed.thread?.item?.generation === thread.generation) {
    return { kind: "inserted" }; // our own generation: an earlier attempt stored this thread
  }
  if (refusal.failed.patient) {
    return { kind: "patient-erased" };
  }
  return { kind: refusal.failed.creation ? "key-used" : "id-taken" };
}

/**
 * The parts of a write that makes a thread one about a patient: the link, and the condition that the patient is not
 * erased. The link is an item, not an index entry, because an index lags behind, and an erasure that reads the links
 * after its start must find all of them. Each link costs 2 write units, once per thread.
 */
export function linkToPatient(tenant: Tenant, { generation, threadId }: Thread, patientId: string) {
  return {
    link: put(config.threadsTable, patientThreadKey(tenant, patientId, generation, threadId)),
    patient: notErased(tenant, patientId),
  };
}

/** @returns the thread, read consistently; undefined if it does not exist, has expired or is being deleted */
export async function readThread(tenant: Tenant, threadId: string): Promise<Thread | undefined> {
  return activeThread(await readItem(config.threadsTable, threadKey(tenant, threadId)));
}

/**
 * Reads a thread and its last {@link CONTEXT_MESSAGES} messages in one consistent query in descending order: the
 * thread's item comes first, then its newest turns. Only very long messages (1 MB in total) require another page, and
 * so do messages by a person, because each is a turn of its own. Since turns are read whole, there may be one message
 * more.
 *
 * @param now when the request began, in milliseconds since the epoch
 * @returns undefined if the thread does not exist, had expired by then or is being deleted
 */
export async function readConversation(
  tenant: Tenant,
  threadId: string,
  now = Date.now(),
): Promise<Conversation | undefined> {
  let wanted = 1 + CONTEXT_MESSAGES / 2;
  const items: Record<string, unknown>[] = [];
  let next: Record<string, unknown> | undefined;
  do {
    const page = await dynamo.send(
      new QueryCommand({
        TableName: config.threadsTable,
        ...expressions({ keys: equals("pk", threadPartition(tenant, threadId)) }),
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: wanted - items.length,
        ExclusiveStartKey: next,
      }),
    );
    items.push(...(page.Items ?? []));
    next = page.LastEvaluatedKey;
    const byPersons = items.filter(({ author }) => author !== undefined).length;
    wanted = 1 + Math.ceil((CONTEXT_MESSAGES + byPersons) / 2);
  } while (next && items.length < wanted);

  const thread = activeThread(items[0], now);
  if (!thread) {
    return undefined;
  }
  const ours = turnPrefix(thread.generation);
  const turns = items
    .filter((item) => String(item.sk).startsWith(ours))
    .map(turnOf)
    .reverse();
  return { thread, turns };
}

/**
 * The part of every other write to a thread's partition that makes a deletion notice it, on condition that the thread
 * is still the one that was read and has not expired.
 */
export function countWrite(tenant: Tenant, { threadId, generation }: Thread, now: number) {
  const condition = allOf(equals("generation", generation), isActive(now));
  return update(config.threadsTable, threadKey(tenant, threadId), { add: { version: 1 } }, condition);
}

/** The condition that a thread is active. */
export function isActive(now: number): Condition {
  return allOf(isAbove("expiresAt", new Date(now).toISOString()), isKept);
}

/** The condition that nobody has begun to delete a thread. */
export const isKept = isMissing("deleting");

/** A message of a thread and its position. */
export type StoredMessage = Turn & {
  /** The turn's number. */
  number: number;
  /** ISO 8601. */
  at: string;
};

/**
 * Reads some turns of a thread, newest first.
 *
 * @param from the first turn's number
 * @param to the last turn's number
 * @returns undefined if any are missing, because the thread was deleted in the meantime
 */
export async function readTurns(
  tenant: Tenant,
  { threadId, generation }: Thread,
  from: number,
  to: number,
): Promise<StoredMessage[] | undefined> {
  const [first, last] = [from, to].map((number) => turnKey(tenant, threadId, generation, number).sk);
  const keys = allOf(equals("pk", threadPartition(tenant, threadId)), isBetween("sk", first, last));
  const items = queryItems(config.threadsTable, { keys }, { ScanIndexForward: false });
  const turns = await Array.fromAsync(items, (item): StoredMessage => {
    return { ...turnOf(item), number: turnNumberOf(String(item.sk)), at: String(item.at) };
  });
  return turns.length === to - from + 1 ? turns : undefined;
}
