import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { SERVICE } from "../shared/caller.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { getPatientEndpoint, type getPatientOperation } from "../shared/patients/endpoints.ts";
import { getPatient } from "../shared/patients/get-patient.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(loadApiKeys, () => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler<typeof getPatientOperation>(getPatientEndpoint, ({ context, id }) =>
  getPatient(context, id),
);
