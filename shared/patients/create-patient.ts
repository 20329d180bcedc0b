import { randomUUID } from "node:crypto";
import type { Caller } from "../caller.ts";
import { ServiceError } from "../errors.ts";
import { annotate } from "../logger.ts";
import { type Patient, summarize, toCreatedPatient } from "./patient.ts";
import { insertPatient, readPatient } from "./patient-repository.ts";
import type { CreatedPatient } from "./patient-responses.ts";
import { type CreatePatientRequest, RECORD_BYTES } from "./patient-schemas.ts";
import { normalizePhone, PHONE_RULE } from "./phone.ts";

/**
 * `POST /patients`: creates a patient. Phone numbers are unique.
 *
 * @throws ServiceError `invalid` when both name and phone number are missing, the number does not have 10 or 11 digits,
 *   or the record is too large; `conflict`, with the existing patient, when the number is taken
 */
export async function createPatient(
  caller: Caller,
  body: CreatePatientRequest,
): Promise<{ success: true; patient: CreatedPatient }> {
  const { join_status: _, ...given } = body;
  const patient: Patient = {
    ...given,
    id: randomUUID(),
    name: body.name?.trim() || undefined,
    phone_number: normalizedPhone(body.phone_number),
    conditions: body.conditions ?? [],
    medications: body.medications ?? [],
    notes: body.notes ?? [],
    reminders_enabled: body.reminders_enabled ?? false,
    join_status: "API",
    ...timestamps(),
  };
  if (!patient.name && !patient.phone_number) {
    throw invalid("name", "a name or a phone_number is required");
  }
  if (Buffer.byteLength(JSON.stringify(patient)) > RECORD_BYTES) {
    throw invalid("", `a record must not be larger than ${RECORD_BYTES / 1024} KB`);
  }
  const existingId = await insertPatient(caller, patient);
  if (existingId) {
    throw await duplicate(caller, existingId);
  }
  annotate({ patientId: patient.id });
  return { success: true, patient: toCreatedPatient(patient) };
}

function normalizedPhone(input: string | undefined): string | undefined {
  if (input === undefined) {
    return undefined;
  }
  const phone = normalizePhone(input);
  if (!phone) {
    throw invalid("phone_number", PHONE_RULE);
  }
  return phone;
}

function timestamps() {
  const now = new Date().toISOString();
  return { created_at: now, updated_at: now };
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError("invalid", "Failed to create patient", { details: [{ path, message }] });
}

async function duplicate(caller: Caller, existingId: string): Promise<ServiceError> {
  annotate({ patientId: existingId });
  const existing = await readPatient(caller, existingId);
  return new ServiceError("conflict", "Patient with this phone number already exists", {
    patient: existing ? summarize(existing) : { id: existingId },
  });
}
