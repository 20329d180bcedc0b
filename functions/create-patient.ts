import { endpoint } from "../shared/http/endpoint.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { createPatient as route } from "../shared/http/routes.ts";
import { createPatient } from "../shared/patients/create-patient.ts";
import { createPatientRequest } from "../shared/patients/patient-schemas.ts";

export const handler = endpoint(route, ({ body }) => createPatient(body), jsonBody(createPatientRequest));
