import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { endpoint } from "../shared/http/endpoint.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { createPatient as route } from "../shared/openapi/routes.ts";
import { createPatient } from "../shared/patients/create-patient.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { createPatientRequest } from "../shared/patients/patient-schemas.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(loadApiKeys, () => readPatient(NO_ID));

export const handler = endpoint(route, ({ body }) => createPatient(body), jsonBody(createPatientRequest));
