import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { type Caller, SERVICE } from "../caller.ts";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { type CreationRequest, putCreation, type StoredResponse } from "../dynamo/creation-records.ts";
import { BY_PHONE_NUMBER, patientKey, phoneIndexKey, phoneLockKey } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { type Action, type CancellationReason, transact } from "../dynamo/transact.ts";
import { logInfo } from "../logger.ts";
import type { Tenant } from "../tenant.ts";
import type { Patient } from "./patient.ts";

const WRITE_RETRIES = 10;

/** Another request with the idempotency key has created a patient. */
export const KEY_USED = Symbol("key used");

/**
 * Stores a new patient together with the lock on the phone number in one transaction. The lock ensures one record per
 * number; the index, which lags behind, cannot.
 *
 * @param creation the request's idempotency key and the response to store under it
 * @returns undefined when stored, otherwise the id of the patient that has the number, or {@link KEY_USED}
 * @throws the database's error if it is unreachable or stays busy
 */
export async function insertPatient(
  caller: Caller,
  patient: Patient,
  creation?: { request: CreationRequest; response: StoredResponse } | undefined,
): Promise<string | typeof KEY_USED | undefined> {
  const { tenant } = caller;
  const actions = [
    putNew(toItem(tenant, { ...patient, creationRecord: creation?.request.record.pk })),
    ...(patient.phone_number ? [lockPhone(tenant, patient.phone_number, patient.id)] : []),
    ...(creation ? [putCreation(creation.request, patient.id, creation.response)] : []),
  ];
  const refusal = await transact(() => actions, retries({ attempts: WRITE_RETRIES }));
  const [onPatient, onLock] = refusal?.reasons ?? [];
  // A cancellation reason with this patient's own id means that an earlier attempt stored it.
  if (refusal && onPatient?.kind !== "condition") {
    return creation && refusal.reasons.at(-1)?.kind === "condition" ? KEY_USED : holderOf(onLock);
  }
  auditAccess(caller, patient.id);
  return undefined;
}

/**
 * Replaces a patient's record, if it has not changed since it was read. A new phone number moves the lock in the same
 * transaction.
 *
 * @returns "updated"; "changed" if the record has been changed or deleted since; otherwise the id of the patient with
 *   the new number
 * @throws as in {@link insertPatient}
 */
export async function updatePatient(caller: Caller, before: Patient, after: Patient): Promise<string> {
  const { tenant } = caller;
  const actions = [replace(tenant, before, after)];
  if (before.phone_number !== after.phone_number) {
    actions.push(
      ...(after.phone_number ? [lockPhone(tenant, after.phone_number, after.id)] : []),
      ...(before.phone_number ? [unlockPhone(tenant, before.phone_number)] : []),
    );
  }
  const refusal = await transact(() => actions, retries({ attempts: WRITE_RETRIES }));
  const [onPatient, onLock] = refusal?.reasons ?? [];
  if (!refusal || (onPatient?.kind === "condition" && onPatient.item?.revision === after.revision)) {
    return "updated"; // our own revision: an earlier attempt stored it
  }
  return onPatient?.kind === "condition" ? "changed" : holderOf(onLock);
}

function replace(tenant: Tenant, before: Patient, after: Patient): Action {
  return {
    Put: {
      TableName: config.patientsTable,
      Item: toItem(tenant, after),
      ConditionExpression: "revision = :revision",
      ExpressionAttributeValues: { ":revision": before.revision },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

function lockPhone(tenant: Tenant, phoneNumber: string, patientId: string): Action {
  return putNew({ ...phoneLockKey(tenant, phoneNumber), patientId });
}

/** The part of a write with the condition that the patient still has the number. */
export function unlockPhone(tenant: Tenant, phoneNumber: string): Action {
  return { Delete: { TableName: config.patientsTable, Key: phoneLockKey(tenant, phoneNumber) } };
}

/** Returns the id of the patient that a phone lock belongs to. */
function holderOf(onLock: CancellationReason | undefined): string {
  return String(onLock?.kind === "condition" && onLock.item?.patientId);
}

function putNew(Item: Record<string, unknown>): Action {
  return {
    Put: {
      TableName: config.patientsTable,
      Item,
      ConditionExpression: "attribute_not_exists(pk)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

/** @returns the patient, read consistently; undefined if there is none with this id */
export async function readPatient(caller: Caller, id: string): Promise<Patient | undefined> {
  const { Item } = await dynamo.send(
    new GetCommand({ TableName: config.patientsTable, Key: patientKey(caller.tenant, id), ConsistentRead: true }),
  );
  return Item && fromItem(caller, Item);
}

/**
 * Finds the patient with a phone number. The index takes one round trip but lags slightly behind its table, so on a
 * miss the phone lock, which does not lag, is read.
 *
 * @param phoneNumber 11 digits
 */
export async function readPatientByPhone(caller: Caller, phoneNumber: string): Promise<Patient | undefined> {
  const { phoneKey } = phoneIndexKey(caller.tenant, phoneNumber);
  const { Items } = await dynamo.send(
    new QueryCommand({
      TableName: config.patientsTable,
      IndexName: BY_PHONE_NUMBER,
      KeyConditionExpression: "phoneKey = :phone",
      ExpressionAttributeValues: { ":phone": phoneKey },
      Limit: 1,
    }),
  );
  if (Items?.[0]) {
    return fromItem(caller, Items[0]);
  }
  const { Item } = await dynamo.send(
    new GetCommand({
      TableName: config.patientsTable,
      Key: phoneLockKey(caller.tenant, phoneNumber),
      ConsistentRead: true,
    }),
  );
  return Item && readPatient(caller, String(Item.patientId));
}

/** Writes the audit line of a record before the record is used. */
function fromItem(caller: Caller, item: Record<string, unknown>): Patient {
  const { pk: _, phoneKey: __, ...stored } = item;
  auditAccess(caller, String(item.id));
  return {
    ...stored,
    notes: JSON.parse(String(item.notes)),
    refill_info: item.refill_info && JSON.parse(String(item.refill_info)),
  } as Patient;
}

/** Free-form parts are stored as JSON text, which preserves any nesting and any number, unlike DynamoDB's types. */
function toItem(tenant: Tenant, patient: Patient): Record<string, unknown> {
  return {
    ...patientKey(tenant, patient.id),
    ...(patient.phone_number && phoneIndexKey(tenant, patient.phone_number)),
    ...patient,
    notes: JSON.stringify(patient.notes),
    refill_info: patient.refill_info && JSON.stringify(patient.refill_info),
  };
}

/**
 * Logs that a patient's record was read or created on a caller's behalf, whether or not the request then succeeds. The
 * line contains the client, its tenant, the operation, the patient's id and the request id, and nothing else. Access by
 * the service itself is not logged.
 */
function auditAccess(caller: Caller, patientId: string): void {
  if (caller === SERVICE) {
    return;
  }
  const { client, tenant, operation } = caller;
  logInfo("audit", { client, tenant, operation, patientId });
}
