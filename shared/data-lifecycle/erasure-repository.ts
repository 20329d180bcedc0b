import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { deleteCreation } from "../dynamo/creation-records.ts";
import { ERASURE_ENDS_AT, erasureKey, erasureTaskKey, patientKey, patientThreadKey } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { type Action, transact } from "../dynamo/transact.ts";
import type { Patient } from "../patients/patient.ts";
import { readPatient, unlockPhone } from "../patients/patient-repository.ts";
import type { Tenant } from "../tenant.ts";
import { sweepAt } from "../threads/thread.ts";
import { eraseThread, removeItems } from "../threads/thread-removal-repository.ts";
import { patientThreads } from "./patient-threads-repository.ts";

const RETRIES = 20;

/** The time for which the sweep ignores an erasure, because the caller's own invocation is still running. */
const HEAD_START_MILLISECONDS = 30_000;

/** The number of items that an erasure has deleted, besides the record. */
export interface Erased {
  threads: number;
  /** As counted by the threads. */
  messages: number;
}

/**
 * Starts the erasure of a patient in one transaction: deletes the record, its phone lock and the idempotency record of
 * its creation, notes the erasure for restores (the id alone), and adds the task of deleting the patient's threads.
 * From then on, the patient does not exist for any caller, and no thread can be linked or bound to the patient.
 *
 * @returns whether there is an erasure to complete: a record was deleted, or an earlier erasure was interrupted
 * @throws the database's error if it is unreachable or stays busy
 */
export async function beginErasure(caller: Caller, patientId: string): Promise<boolean> {
  const { tenant } = caller;
  const pause = retries({ attempts: RETRIES });
  let recordReplaced = false;
  for (;;) {
    const patient: Patient | undefined = await readPatient(caller, patientId);
    if (!patient) {
      return isErasing(tenant, patientId);
    }
    const creationRecord: string | undefined = recordReplaced ? undefined : patient.creationRecord;
    const actions = () => [
      ...(creationRecord ? [deleteCreation(creationRecord, patientId)] : []),
      ...deletePatient(tenant, patient),
      ...noteErasure(tenant, patientId, Date.now()),
    ];
    const refusal = await transact(actions, pause);
    if (!refusal) {
      return true;
    }
    // The record was changed, or one of our earlier attempts deleted it.
    recordReplaced ||= creationRecord !== undefined && refusal.reasons[0]?.kind === "condition";
    await pause(refusal.error);
  }
}

function deletePatient(tenant: Tenant, { id, revision, phone_number }: Patient): Action[] {
  return [
    {
      Delete: {
        TableName: config.patientsTable,
        Key: patientKey(tenant, id),
        ConditionExpression: "revision = :revision",
        ExpressionAttributeValues: { ":revision": revision },
      },
    },
    ...(phone_number ? [unlockPhone(tenant, phone_number)] : []),
  ];
}

/** The note is kept as long as any backup that may contain the record. */
function noteErasure(tenant: Tenant, patientId: string, now: number): Action[] {
  const erasedAt = new Date(now).toISOString();
  const endsAt = Math.ceil(now / 1000) + config.erasureDays * 24 * 60 * 60;
  const note = { ...erasureKey(tenant, patientId), erasedAt, [ERASURE_ENDS_AT]: endsAt };
  return [
    { Put: { TableName: config.patientsTable, Item: note } },
    {
      Put: {
        TableName: config.threadsTable,
        Item: {
          ...erasureTaskKey(tenant, patientId),
          sweepAt: sweepAt(now + HEAD_START_MILLISECONDS, config.clock),
        },
      },
    },
  ];
}

async function isErasing(tenant: Tenant, patientId: string): Promise<boolean> {
  const Key = erasureTaskKey(tenant, patientId);
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.threadsTable, Key, ConsistentRead: true }));
  return Item !== undefined;
}

/**
 * Deletes the threads of a patient whose erasure has started, and then the task. It can be interrupted anywhere and run
 * again, even twice in parallel.
 *
 * @returns the number of items that this run has deleted
 * @throws the database's error if it is unreachable or stays busy
 */
export async function completeErasure(tenant: Tenant, patientId: string): Promise<Erased> {
  const erased: Erased = { threads: 0, messages: 0 };
  const task = erasureTaskKey(tenant, patientId);
  // The list is complete, because no link can be added once an erasure has started.
  const links = [];
  for await (const link of patientThreads(tenant, patientId)) {
    links.push(link);
  }
  // The links of long threads, and of threads that were deleted without their link.
  const left = [];
  for (const link of links) {
    // The last thread takes the task with it if nothing else is left, which saves a round trip.
    const along = link === links.at(-1) && left.length === 0 ? [task] : [];
    const removed = await eraseThread(tenant, link, along);
    if (removed) {
      erased.threads++;
      erased.messages += removed.messages;
    }
    if (!removed?.atOnce) {
      left.push(patientThreadKey(tenant, patientId, link.generation, link.threadId));
    } else if (along.length > 0) {
      return erased;
    }
  }
  await removeItems([...left, task]);
  return erased;
}
