import { endpoint } from "../shared/http/endpoint.ts";
import { createPatient as route } from "../shared/http/routes.ts";
import { createPatient } from "../shared/patients/create-patient.ts";

export const handler = endpoint(route, ({ body }) => createPatient(body));
