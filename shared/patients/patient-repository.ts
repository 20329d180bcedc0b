import { GetCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { BY_PHONE_NUMBER, patientKey, phoneLockKey } from "../dynamo/keys.ts";
import { backOff, cancellationReasons } from "../dynamo/transaction.ts";
import { auditAccess } from "./audit.ts";
import type { Patient } from "./patient.ts";

const CREATE_ATTEMPTS = 10;

/**
 * Stores a new patient together with the lock on the phone number. Both go into one transaction, whatever happens in
 * between: that, not the index (which lags behind), is what keeps one record per number.
 *
 * A transaction carries a token, so the SDK's own repetition after a lost answer does not meet its own record.
 *
 * @returns undefined when stored, otherwise the id of the patient that has the number
 * @throws the database's error, when it cannot be reached or stays busy
 */
export async function insertPatient(caller: Caller, patient: Patient): Promise<string | undefined> {
  const puts: Record<string, unknown>[] = [toItem(patient)];
  if (patient.phone_number) {
    puts.push({ ...phoneLockKey(patient.phone_number), patientId: patient.id });
  }
  for (let attempt = 0; ; attempt++) {
    try {
      await dynamo.send(
        new TransactWriteCommand({
          TransactItems: puts.map((Item) => ({
            Put: {
              TableName: config.patientsTable,
              Item,
              ConditionExpression: "attribute_not_exists(id)",
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            },
          })),
        }),
      );
      auditAccess(caller, patient.id);
      return undefined;
    } catch (error) {
      const [, lock] = cancellationReasons(error);
      if (lock?.kind === "condition") {
        return String(lock.item?.patientId);
      }
      if (attempt === CREATE_ATTEMPTS) {
        throw error;
      }
      await backOff(attempt);
    }
  }
}

/** @returns the patient, read consistently, or undefined when there is none of that id */
export async function readPatient(caller: Caller, id: string): Promise<Patient | undefined> {
  const { Item } = await dynamo.send(
    new GetCommand({ TableName: config.patientsTable, Key: patientKey(id), ConsistentRead: true }),
  );
  return Item && fromItem(caller, Item);
}

/**
 * Finds the patient of a phone number. The index answers in one trip but lags behind its table by moments, so on a
 * miss the phone lock is read, which does not.
 *
 * @param phoneNumber 11 digits
 */
export async function readPatientByPhone(caller: Caller, phoneNumber: string): Promise<Patient | undefined> {
  const { Items } = await dynamo.send(
    new QueryCommand({
      TableName: config.patientsTable,
      IndexName: BY_PHONE_NUMBER,
      KeyConditionExpression: "phone_number = :phone",
      ExpressionAttributeValues: { ":phone": phoneNumber },
      Limit: 1,
    }),
  );
  if (Items?.[0]) {
    return fromItem(caller, Items[0]);
  }
  const { Item } = await dynamo.send(
    new GetCommand({ TableName: config.patientsTable, Key: phoneLockKey(phoneNumber), ConsistentRead: true }),
  );
  return Item && readPatient(caller, String(Item.patientId));
}

/** A record that leaves the database has its audit line before anything is made of it. */
function fromItem(caller: Caller, item: Record<string, unknown>): Patient {
  auditAccess(caller, String(item.id));
  return {
    ...item,
    notes: JSON.parse(String(item.notes)),
    refill_info: item.refill_info && JSON.parse(String(item.refill_info)),
  } as Patient;
}

/** Free-form parts are stored as JSON text: any nesting and any number survives, which DynamoDB's own types do not promise. */
function toItem(patient: Patient): Record<string, unknown> {
  return {
    ...patient,
    notes: JSON.stringify(patient.notes),
    refill_info: patient.refill_info && JSON.stringify(patient.refill_info),
  };
}
