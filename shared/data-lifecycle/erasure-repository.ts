import { config } from "../config.ts";
import { checkWrite, entityTag, type Preconditions } from "../contract/preconditions.ts";
import { equals } from "../dynamo/expressions.ts";
import {
  ERASURE_ENDS_AT,
  erasureKey,
  erasureTaskKey,
  patientKey,
  patientThreadKey,
  randomSweepShard,
  sweepAt,
} from "../dynamo/keys.ts";
import { readItem } from "../dynamo/query.ts";
import { retries } from "../dynamo/retries.ts";
import { deleteItem, put, transact } from "../dynamo/transact.ts";
import { eraseIds } from "../events/event-repository.ts";
import { recordEvent } from "../events/outbox.ts";
import { deleteCreation } from "../idempotency/creation-record-repository.ts";
import { lookupsOf } from "../patients/lookups.ts";
import { PATIENT_CHANGED, type Patient } from "../patients/patient.ts";
import { readPatient, removeLookups, unlockPhone } from "../patients/patient-repository.ts";
import type { Caller } from "../request/caller.ts";
import type { Tenant } from "../tenant.ts";
import { eraseThread, removeItems } from "../threads/thread-removal-repository.ts";
import { patientThreads } from "./patient-threads-repository.ts";

/** The time for which the sweep ignores an erasure, because the caller's own invocation is still running. */
const HEAD_START_MILLISECONDS = 30_000;

/** The number of items that an erasure has deleted, besides the record. */
export interface Erased {
  threads: number;
  /** As counted by the threads. */
  messages: number;
}

/**
 * Starts the erasure of a patient in one transaction: deletes the record, its phone lock, its look-ups and the idempotency record of
 * its creation, notes the erasure for restores (the id alone), and adds the task of deleting the patient's threads.
 * From then on, the patient does not exist for any caller, and no thread can be linked or bound to the patient.
 *
 * The record that meets the preconditions is the one that is deleted: if it changes in between, the new one is checked.
 * They do not apply to the completion of an earlier erasure, whose record is gone.
 *
 * @returns whether there is an erasure to complete: a record was deleted, or an earlier erasure was interrupted
 * @throws ServiceError `precondition-failed`; the database's error if it is unreachable or stays busy
 */
export async function beginErasure(
  caller: Caller,
  patientId: string,
  preconditions: Preconditions = {},
): Promise<boolean> {
  const { tenant } = caller;
  const pause = retries();
  let recordReplaced = false;
  for (;;) {
    const patient = await readPatient(caller, patientId);
    if (!patient) {
      return isErasing(tenant, patientId);
    }
    checkWrite(preconditions, entityTag(patient.revision), PATIENT_CHANGED);
    const refusal = await transact(() => erasure(tenant, patient, recordReplaced), pause);
    if (!refusal) {
      return true;
    }
    // The record was changed, or one of our earlier attempts deleted it.
    recordReplaced ||= refusal.failed.creation !== undefined;
    await pause(refusal.error);
  }
}

/**
 * @param recordReplaced whether the idempotency record of the creation belongs to another request by now
 */
function erasure(tenant: Tenant, patient: Patient, recordReplaced: boolean) {
  const { id, revision, phone_number, creationRecord } = patient;
  const now = Date.now();
  const note = { ...erasureKey(tenant, id), erasedAt: new Date(now).toISOString(), [ERASURE_ENDS_AT]: noteEndsAt(now) };
  const task = {
    ...erasureTaskKey(tenant, id),
    sweepAt: sweepAt(now + HEAD_START_MILLISECONDS, config.clock),
    sweepShard: randomSweepShard(),
  };
  return {
    patient: deleteItem(config.patientsTable, patientKey(tenant, id), equals("revision", revision)),
    lock: phone_number ? unlockPhone(tenant, phone_number) : undefined,
    lookups: removeLookups(tenant, id, lookupsOf(patient)),
    creation: creationRecord && !recordReplaced ? deleteCreation(creationRecord, id) : undefined,
    note: put(config.patientsTable, note),
    task: put(config.threadsTable, task),
    event: recordEvent(tenant, { type: "patient.erased", patientId: id }, now),
  };
}

/** The note is kept as long as any backup that may contain the record. In epoch seconds. */
function noteEndsAt(now: number): number {
  return Math.ceil(now / 1000) + config.erasureDays * 24 * 60 * 60;
}

async function isErasing(tenant: Tenant, patientId: string): Promise<boolean> {
  return (await readItem(config.threadsTable, erasureTaskKey(tenant, patientId))) !== undefined;
}

/**
 * Deletes the threads of a patient whose erasure has started, the IDs in events about them, and then the task. It can
 * be interrupted anywhere and run again, even twice in parallel.
 *
 * @returns the number of items that this run has deleted
 * @throws the database's error if it is unreachable or stays busy
 */
export async function completeErasure(tenant: Tenant, patientId: string): Promise<Erased> {
  const erased: Erased = { threads: 0, messages: 0 };
  const links = [];
  const generations: string[] = [];
  // The list is complete, because no link can be added once an erasure has started.
  for await (const { threadId, generation } of patientThreads(tenant, patientId)) {
    links.push(patientThreadKey(tenant, patientId, generation, threadId));
    generations.push(generation);
    const messages = await eraseThread(tenant, { threadId, generation });
    if (messages !== undefined) {
      erased.threads++;
      erased.messages += messages;
    }
  }
  // All threads are gone by now, so no event about them can be recorded any more.
  await eraseIds(tenant, patientId, generations);
  await removeItems(links);
  await removeItems([erasureTaskKey(tenant, patientId)]);
  return erased;
}
