import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { BY_PHONE_NUMBER, patientKey, phoneIndexKey, phoneLockKey } from "../dynamo/keys.ts";
import { retries } from "../dynamo/retries.ts";
import { type Action, transact } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { auditAccess } from "./audit.ts";
import type { Patient } from "./patient.ts";

const CREATE_RETRIES = 10;

/**
 * Stores a new patient together with the lock on the phone number, in one transaction: the lock, not the index (which
 * lags behind), is what keeps one record per number.
 *
 * @returns undefined when stored, otherwise the id of the patient that has the number
 * @throws the database's error, if it cannot be reached or stays busy
 */
export async function insertPatient(caller: Caller, patient: Patient): Promise<string | undefined> {
  const puts = [putNew(toItem(caller.tenant, patient))];
  if (patient.phone_number) {
    puts.push(putNew({ ...phoneLockKey(caller.tenant, patient.phone_number), patientId: patient.id }));
  }
  const refusal = await transact(() => puts, retries({ attempts: CREATE_RETRIES }));
  const onLock = refusal?.reasons[1];
  if (onLock?.kind === "condition" && onLock.item?.patientId !== patient.id) {
    return String(onLock.item?.patientId);
  }
  // A refusal that is not about another patient's lock is about this patient's own id: an earlier attempt stored it.
  auditAccess(caller, patient.id);
  return undefined;
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
 * Finds the patient of a phone number. The index takes one round trip but lags slightly behind its table, so on a miss
 * the phone lock is read, which does not.
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

/** Writes the audit line of a record before anything else is done with it. */
function fromItem(caller: Caller, item: Record<string, unknown>): Patient {
  const { pk: _, phoneKey: __, ...stored } = item;
  auditAccess(caller, String(item.id));
  return {
    ...stored,
    notes: JSON.parse(String(item.notes)),
    refill_info: item.refill_info && JSON.parse(String(item.refill_info)),
  } as Patient;
}

/** Free-form parts are stored as JSON text, which keeps any nesting and any number; DynamoDB's own types do not. */
function toItem(tenant: Tenant, patient: Patient): Record<string, unknown> {
  return {
    ...patientKey(tenant, patient.id),
    ...(patient.phone_number && phoneIndexKey(tenant, patient.phone_number)),
    ...patient,
    notes: JSON.stringify(patient.notes),
    refill_info: patient.refill_info && JSON.stringify(patient.refill_info),
  };
}
