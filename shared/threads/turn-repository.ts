import { randomBytes } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { threadKey, turnKey } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { type Action, putNew, transact } from "../dynamo/transact.ts";
import type { NewEvent } from "../events/event.ts";
import { recordEvent } from "../events/outbox.ts";
import type { Tenant } from "../tenant.ts";
import { keepReservation, type Reservation } from "./idempotency-record-repository.ts";
import { messageId, questionPlace } from "./message-id.ts";
import { lifetime, type Thread, type Turn, visibleLifetime } from "./thread.ts";
import { activeThread, turnItem, turnOf } from "./thread-items.ts";
import { linkToPatient } from "./thread-repository.ts";

/** The options of a commit. */
export interface CommitOptions {
  /** The idempotency record that refers to the turn. */
  reservation?: Reservation | undefined;
  /** The patient the turn is about. A thread without a linked patient is bound to this one from then on. */
  patientId?: string | undefined;
  /** What clients are told of because of the turn. The commit adds the IDs and the expiry. */
  events?: readonly Pick<NewEvent, "type" | "level">[] | undefined;
}

/** What came of a commit. The thread is gone if it was deleted or has expired: a commit never recreates it. */
export type Commit =
  | { kind: "committed"; thread: Thread }
  | { kind: "thread-gone" }
  | { kind: "other-patient" }
  | { kind: "patient-erased" };

/**
 * Commits a turn: appends it and updates the thread's count and expiry in one transaction, on condition that the thread
 * is still the one that was read, has not expired and has the count that was read. A commit that loses the race for the
 * count is retried with the current count, which the refusal contains, so turns are stored whole and in commit order.
 *
 * @param thread as it was read
 * @param giveUpAt milliseconds since the epoch
 * @returns the thread after the commit; `other-patient` if it was bound to another patient in the meantime
 * @throws the database's error if it is unreachable or stays busy until `giveUpAt`, or if the reservation was lost
 */
export async function commitTurn(
  tenant: Tenant,
  thread: Thread,
  turn: Turn,
  giveUpAt: number,
  { reservation, patientId, events = [] }: CommitOptions = {},
): Promise<Commit> {
  const pause = retries({ until: giveUpAt });
  const commitId = randomBytes(9).toString("base64url");
  const binding = thread.patientId === null ? patientId : undefined;
  // Only the first turn about a patient links the thread. Another chat may do so before the commit.
  const links = binding && thread.boundPatientId === undefined ? linkToPatient(tenant, thread, binding) : undefined;
  let { messageCount } = thread;
  let at = 0;
  const actions = () => {
    at = Date.now();
    const number = messageCount / 2;
    return {
      thread: updateThread(tenant, thread, messageCount, binding, turn.alert !== undefined, at),
      turn: putNew(config.threadsTable, { ...turnItem(tenant, thread, number, turn, at), commitId }),
      reservation: reservation && keepReservation(tenant, thread, reservation, number),
      events: events.map((event) => recordEvent(tenant, { ...event, ...subjectOf(thread, binding, number, at) }, at)),
      ...links,
    };
  };
  for (;;) {
    const refusal = await transact(actions, pause);
    const storedAt = refusal?.uncertain ? await commitTime(tenant, thread, messageCount / 2, commitId) : undefined;
    if (!refusal || storedAt !== undefined) {
      const times = visibleLifetime(storedAt ?? at, config.clock);
      return { kind: "committed", thread: { ...thread, messageCount: messageCount + 2, ...times } };
    }
    const { failed } = refusal;
    if (!failed.thread && failed.patient) {
      return { kind: "patient-erased" };
    }
    if (!failed.thread) {
      throw refusal.error; // the reservation was taken over after its lease expired
    }
    const current = activeThread(failed.thread.item);
    if (current?.generation !== thread.generation) {
      return { kind: "thread-gone" };
    }
    if (binding && (current.boundPatientId ?? binding) !== binding) {
      return { kind: "other-patient" };
    }
    messageCount = current.messageCount;
    await pause(refusal.error);
  }
}

/** What the events of a turn are about. */
function subjectOf(thread: Thread, binding: string | undefined, number: number, at: number): Partial<NewEvent> {
  const { threadId, generation, boundPatientId } = thread;
  const patientId = thread.patientId ?? boundPatientId ?? binding;
  const { expiresAt } = visibleLifetime(at, config.clock);
  return { threadId, generation, patientId, messageId: messageId(thread, questionPlace(number)), expiresAt };
}

/** @returns a turn by its number, with what was stored for a replay */
export async function readTurn(tenant: Tenant, thread: Thread, number: number): Promise<Turn | undefined> {
  const item = await readItem(tenant, thread, number);
  return item && { ...turnOf(item), replay: item.replay as Turn["replay"] };
}

/**
 * @param commitId identifies the turn of a commit whose response was lost
 * @returns the time of the commit, in milliseconds since the epoch; undefined if it is the turn of another commit
 */
async function commitTime(
  tenant: Tenant,
  thread: Thread,
  number: number,
  commitId: string,
): Promise<number | undefined> {
  const item = await readItem(tenant, thread, number);
  return item?.commitId === commitId ? Date.parse(String(item.at)) : undefined;
}

async function readItem(tenant: Tenant, thread: Thread, number: number): Promise<Record<string, unknown> | undefined> {
  const Key = turnKey(tenant, thread.threadId, thread.generation, number);
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.threadsTable, Key, ConsistentRead: true }));
  return Item;
}

/** Updates a thread's count and times. `version` counts the writes to the partition, for deletions. */
function updateThread(
  tenant: Tenant,
  thread: Thread,
  messageCount: number,
  binding: string | undefined,
  alerted: boolean,
  now: number,
): Action {
  const { lastActivity, expiresAt, sweepAt, ttl } = lifetime(now, config.clock);
  return {
    Update: {
      TableName: config.threadsTable,
      Key: threadKey(tenant, thread.threadId),
      UpdateExpression: `SET messageCount = :count, version = version + :one, lastActivity = :now, expiresAt = :expires, sweepAt = :sweep, #ttl = :ttl${
        binding ? ", boundPatientId = :patient" : ""
      }${alerted ? ", alerted = :alerted" : ""}`,
      ConditionExpression: `generation = :generation AND messageCount = :read AND expiresAt > :now AND attribute_not_exists(deleting)${
        binding ? " AND (attribute_not_exists(boundPatientId) OR boundPatientId = :patient)" : ""
      }`,
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: {
        ":one": 1,
        ":count": messageCount + 2,
        ":read": messageCount,
        ":generation": thread.generation,
        ":now": lastActivity,
        ":expires": expiresAt,
        ":sweep": sweepAt,
        ":ttl": ttl,
        ...(binding && { ":patient": binding }),
        ...(alerted && { ":alerted": true }),
      },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}
