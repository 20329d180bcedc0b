import { isDeepStrictEqual } from "node:util";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { equals, expressions, isAbsent } from "../dynamo/expressions.ts";
import {
  BY_PHONE_NUMBER,
  erasureKey,
  lookupIndexKey,
  lookupKey,
  patientKey,
  phoneIndexKey,
  phoneLockKey,
} from "../dynamo/keys.ts";
import { readItem } from "../dynamo/query.ts";
import { check, deleteItem, type FailedConditions, put, putNew, transact } from "../dynamo/transact.ts";
import { type CreationRequest, putCreation, type StoredResponse } from "../idempotency/creation-record-repository.ts";
import type { Caller } from "../request/caller.ts";
import type { Tenant } from "../tenant.ts";
import { auditAccess } from "./audit.ts";
import { lookupsOf, MAX_FOUND } from "./lookups.ts";
import { derived, type Patient } from "./patient.ts";
import { storedBefore } from "./phone.ts";

/** The phone number belongs to another patient. */
type PhoneTaken = { kind: "phone-taken"; patientId: string };

/** The result of storing a new patient; `key-used` if another request with the idempotency key has created one. */
export type PatientInsertion = { kind: "inserted" } | { kind: "key-used" } | PhoneTaken;

/** The result of replacing a record; `changed` if it has been changed or deleted since it was read. */
export type Update = { kind: "updated" } | { kind: "changed" } | PhoneTaken;

/**
 * Stores a new patient together with the lock on the phone number in one transaction. The lock ensures one record per
 * number; the index, which lags behind, cannot.
 *
 * @param creation the request's idempotency key and the response to store under it
 * @throws the database's error if it is unreachable or stays busy
 */
export async function insertPatient(
  caller: Caller,
  patient: Patient,
  creation?: { request: CreationRequest; response: StoredResponse } | undefined,
): Promise<PatientInsertion> {
  const { tenant } = caller;
  const item = toItem(tenant, { ...patient, creationRecord: creation?.request.record.pk });
  let attempts = 0;
  const actions = () => ({
    patient: putNew(config.patientsTable, item),
    lock: patient.phone_number ? lockPhone(tenant, patient.phone_number, patient.id) : undefined,
    lookups: addLookups(tenant, patient.id, lookupsOf(patient)),
    creation: creation && putCreation(creation.request, patient.id, creation.response),
    // An earlier attempt may have stored the patient, and a client that has seen it may have erased it since.
    note: attempts++ > 0 ? notErased(tenant, patient.id) : undefined,
  });
  const refusal = await transact(actions);
  // A patient with this patient's own id, or the note of its erasure, means that an earlier attempt stored it.
  if (refusal && !refusal.failed.patient && !refusal.failed.note) {
    return refusal.failed.creation ? { kind: "key-used" } : phoneTaken(refusal);
  }
  auditAccess(caller, patient.id, patient.consent);
  return { kind: "inserted" };
}

/**
 * Replaces a patient's record, if it has not changed since it was read. A new phone number moves the lock in the same
 * transaction.
 *
 * @throws as in {@link insertPatient}
 */
export async function updatePatient(caller: Caller, before: Patient, after: Patient): Promise<Update> {
  const { tenant } = caller;
  const moved = before.phone_number !== after.phone_number;
  const actions = {
    patient: put(config.patientsTable, toItem(tenant, after), equals("revision", before.revision)),
    lock: moved && after.phone_number ? lockPhone(tenant, after.phone_number, after.id) : undefined,
    oldLock: moved && before.phone_number ? unlockPhone(tenant, before.phone_number) : undefined,
    lookups: addLookups(tenant, after.id, lookupsOf(after, before)),
    oldLookups: removeLookups(tenant, after.id, lookupsOf(before, after)),
  };
  const refusal = await transact(() => actions);
  if (!refusal || refusal.failed.patient?.item?.revision === after.revision) {
    if (!isDeepStrictEqual(before.consent, after.consent)) {
      auditAccess(caller, after.id, after.consent ?? "removed");
    }
    return { kind: "updated" }; // our own revision: an earlier attempt stored it
  }
  return refusal.failed.patient ? { kind: "changed" } : phoneTaken(refusal);
}

function phoneTaken({ failed }: FailedConditions<"lock">): PhoneTaken {
  return { kind: "phone-taken", patientId: String(failed.lock?.item?.patientId) };
}

function lockPhone(tenant: Tenant, phoneNumber: string, patientId: string) {
  return putNew(config.patientsTable, { ...phoneLockKey(tenant, phoneNumber), patientId });
}

function addLookups(tenant: Tenant, patientId: string, lookups: readonly string[]) {
  return lookups.map((lookup) => {
    const key = { ...lookupKey(tenant, patientId, lookup), ...lookupIndexKey(tenant, lookup) };
    return put(config.patientsTable, { ...key, patientId });
  });
}

/** The part of a write after which a patient has these look-ups no longer. */
export function removeLookups(tenant: Tenant, patientId: string, lookups: readonly string[]) {
  return lookups.map((lookup) => deleteItem(config.patientsTable, lookupKey(tenant, patientId, lookup)));
}

/** The part of a write that has no effect if the patient was erased. */
export function notErased(tenant: Tenant, patientId: string) {
  return check(config.patientsTable, erasureKey(tenant, patientId), isAbsent);
}

/** The part of a write with the condition that the patient still has the number. */
export function unlockPhone(tenant: Tenant, phoneNumber: string) {
  return deleteItem(config.patientsTable, phoneLockKey(tenant, phoneNumber));
}

/** @returns the patient, read consistently; undefined if there is none with this id */
export async function readPatient(caller: Caller, id: string): Promise<Patient | undefined> {
  const item = await readItem(config.patientsTable, patientKey(caller.tenant, id));
  return item && fromItem(caller, item);
}

/**
 * Finds the patient with a phone number. The phone lock says whose it is. The index, which is read at the same time,
 * usually has the record already, but lags slightly: it may lack a new patient, or have one who gave up the number. It
 * may also have a consent that was withdrawn.
 *
 * @param phoneNumber normalized
 * @param isFresh whether the record must be as it is now, because consent is required: the index is not read
 */
export async function readPatientByPhone(
  caller: Caller,
  phoneNumber: string,
  isFresh: boolean,
): Promise<Patient | undefined> {
  const { tenant } = caller;
  const TableName = config.patientsTable;
  const [lock, indexed] = await Promise.all([
    readItem(TableName, phoneLockKey(tenant, phoneNumber)),
    isFresh
      ? undefined
      : dynamo.send(
          new QueryCommand({
            TableName,
            IndexName: BY_PHONE_NUMBER,
            ...expressions({ keys: equals("phoneKey", phoneIndexKey(tenant, phoneNumber).phoneKey) }),
            Limit: 1,
          }),
        ),
  ]);
  if (!lock) {
    const before = storedBefore(phoneNumber);
    return before === undefined ? undefined : readPatientByPhone(caller, before, isFresh);
  }
  const id = String(lock.patientId);
  const item = indexed?.Items?.[0];
  return item?.id === id ? fromItem(caller, item) : readPatient(caller, id);
}

/**
 * Finds the patients with a look-up. The index lags slightly: it may lack a new one, and what it has is compared with the
 * records.
 *
 * @returns at most {@link MAX_FOUND}
 */
export async function readPatientsByLookup(caller: Caller, lookup: string): Promise<Patient[]> {
  const { Items = [] } = await dynamo.send(
    new QueryCommand({
      TableName: config.patientsTable,
      IndexName: BY_PHONE_NUMBER,
      ...expressions({ keys: equals("phoneKey", lookupIndexKey(caller.tenant, lookup).phoneKey) }),
      Limit: MAX_FOUND,
    }),
  );
  const patients = await Promise.all(Items.map(({ patientId }) => readPatient(caller, String(patientId))));
  return patients.filter((patient) => patient !== undefined && lookupsOf(patient).includes(lookup)) as Patient[];
}

/** Writes the audit line of a record before the record is used. */
function fromItem(caller: Caller, item: Record<string, unknown>): Patient {
  const { pk: _, phoneKey: __, ...stored } = item;
  auditAccess(caller, String(item.id));
  const patient = {
    ...stored,
    notes: JSON.parse(String(item.notes)),
    refill_info: item.refill_info && JSON.parse(String(item.refill_info)),
    ...(item.clinical !== undefined && { clinical: JSON.parse(String(item.clinical)) }),
  } as Patient;
  return { ...patient, ...derived(patient) };
}

/** Free-form parts are stored as JSON text, which preserves any nesting and any number, unlike DynamoDB's types. */
function toItem(tenant: Tenant, patient: Patient): Record<string, unknown> {
  return {
    ...patientKey(tenant, patient.id),
    ...(patient.phone_number && phoneIndexKey(tenant, patient.phone_number)),
    ...storedFields(patient),
    notes: JSON.stringify(patient.notes),
    refill_info: patient.refill_info && JSON.stringify(patient.refill_info),
    clinical: patient.clinical && JSON.stringify(patient.clinical),
  };
}

/** Returns a patient without what {@link derived} derives, so that nothing is stored twice. */
export function storedFields(patient: Patient): Partial<Patient> {
  const names = new Set(Object.keys(derived(patient)));
  return Object.fromEntries(Object.entries(patient).filter(([name]) => !names.has(name)));
}
