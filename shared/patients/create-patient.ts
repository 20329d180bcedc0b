import { randomUUID } from "node:crypto";
import type { Result } from "../contract/endpoint.ts";
import type { ResponseOf } from "../contract/operation.ts";
import { entityTag } from "../contract/preconditions.ts";
import { retries } from "../dynamo/retries.ts";
import { creationRequest, readCreation } from "../idempotency/creation-record-repository.ts";
import type { CallerContext } from "../request/request-context.ts";
import { checkedPatient, phoneTaken, requireNotStoredBefore } from "./checked-patient.ts";
import type { patientDocs } from "./docs.ts";
import { type PatientFields, toCreatedPatient } from "./patient.ts";
import { insertPatient } from "./patient-repository.ts";
import type { CreatePatientRequest } from "./patient-requests.ts";
import { normalizePhone } from "./phone.ts";

type CreatePatientResult = Result<ResponseOf<typeof patientDocs, "create-patient">>;

/** `POST /patients`: creates a patient from the fields in the body, as {@link createFrom}. */
export function createPatient(
  context: CallerContext,
  body: CreatePatientRequest,
  idempotencyKey?: string | undefined,
): Promise<CreatePatientResult> {
  const { join_status: _, phone_number, ...given } = body;
  const normalized = phone_number === undefined ? {} : { phone_number: normalizePhone(phone_number) };
  return createFrom(context, { ...given, ...normalized }, body, idempotencyKey);
}

/**
 * Creates a patient. Phone numbers are unique.
 *
 * @param given validated, with the phone number normalized
 * @param body the request's, to tell whether another request with the same key is a repetition
 * @param idempotencyKey a hash; a retry gets the stored response
 * @throws ServiceError `invalid` as in {@link checkedPatient}; `conflict`, with the existing patient, when the number
 *   is taken; `unprocessable` when the key was used with another body
 */
export async function createFrom(
  context: CallerContext,
  given: PatientFields,
  body: unknown,
  idempotencyKey: string | undefined,
): Promise<CreatePatientResult> {
  const { caller, log } = context;
  const request = creationRequest(caller, idempotencyKey, body);
  const pause = retries();
  for (;;) {
    const stored = await (request && readCreation(request));
    if (stored) {
      return { ...(stored as CreatePatientResult), replayed: true };
    }
    const patient = checkedPatient(given, { id: randomUUID(), join_status: "API" }, "Failed to create patient");
    const result: CreatePatientResult = {
      body: { success: true, patient: toCreatedPatient(patient) },
      etag: entityTag(patient.revision),
    };
    await requireNotStoredBefore(context, given.phone_number);
    const inserted = await insertPatient(caller, patient, request && { request, response: result });
    if (inserted.kind === "phone-taken") {
      const taken = await phoneTaken(context, inserted.patientId);
      if (taken) {
        throw taken;
      }
      await pause(new Error("the phone number belonged to an erased patient in every attempt"));
    }
    if (inserted.kind === "inserted") {
      log.patientId = patient.id;
      return result;
    }
  }
}
