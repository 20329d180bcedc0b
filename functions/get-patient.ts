import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { endpoint } from "../shared/http/endpoint.ts";
import { getPatient as route } from "../shared/openapi/routes.ts";
import { getPatient } from "../shared/patients/get-patient.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(loadApiKeys, () => readPatient(NO_ID));

export const handler = endpoint(route, ({ id }) => getPatient(id));
