import type { ResponseOf } from "../contract/endpoint.ts";
import { invalidField } from "../errors.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { searchPatientsEndpoint } from "./endpoints.ts";
import { summarize } from "./patient.ts";
import { readPatientByPhone } from "./patient-repository.ts";
import type { SearchPatientsRequest } from "./patient-requests.ts";
import { normalizePhone, PHONE_RULE } from "./phone.ts";

/**
 * `POST /patients/search`: finds the patient with a phone number, in any format. Creates nothing.
 *
 * @throws ServiceError `invalid` when the number does not have 10 or 11 digits
 */
export async function searchPatients(
  { caller, log }: CallerContext,
  { phone_number }: SearchPatientsRequest,
): Promise<ResponseOf<typeof searchPatientsEndpoint>> {
  const phone = normalizePhone(phone_number);
  if (!phone) {
    throw invalidField("phone_number", PHONE_RULE, `phone_number ${PHONE_RULE}`);
  }
  const patient = await readPatientByPhone(caller, phone);
  log.patientId = patient?.id;
  return { success: true, patients: patient ? [summarize(patient)] : [] };
}
