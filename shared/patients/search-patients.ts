import type { ResponseOf } from "../contract/operation.ts";
import { invalidField } from "../errors.ts";
import type { Caller } from "../request/caller.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { patientDocs } from "./docs.ts";
import { lookupOfIdentifier, lookupOfName } from "./lookups.ts";
import { type Patient, summarize } from "./patient.ts";
import { readPatientByPhone, readPatientsByLookup } from "./patient-repository.ts";
import type { SearchPatientsRequest } from "./patient-requests.ts";
import { normalizePhone, phoneRule } from "./phone.ts";

/**
 * `POST /patients/search`: finds the patient with a phone number, in any format, or patients with an identifier or with
 * a name and a date of birth. Creates nothing.
 *
 * @throws ServiceError `invalid` when the number cannot be a patient's
 */
export async function searchPatients(
  { caller, log }: CallerContext,
  request: SearchPatientsRequest,
): Promise<ResponseOf<typeof patientDocs, "search-patients">> {
  const patients = await found(caller, request);
  log.patientId = patients.length === 1 ? patients[0]?.id : undefined;
  return { success: true, patients: patients.map(summarize) };
}

async function found(
  caller: Caller,
  { phone_number, identifier, name = "", birth_date = "" }: SearchPatientsRequest,
): Promise<Patient[]> {
  if (phone_number === undefined) {
    return readPatientsByLookup(caller, identifier ? lookupOfIdentifier(identifier) : lookupOfName(name, birth_date));
  }
  const phone = normalizePhone(phone_number);
  if (!phone) {
    throw invalidField("phone_number", phoneRule(), `phone_number ${phoneRule()}`);
  }
  const patient = await readPatientByPhone(caller, phone, false);
  return patient ? [patient] : [];
}
