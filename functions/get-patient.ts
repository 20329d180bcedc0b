import { endpoint } from "../shared/http/endpoint.ts";
import { getPatient as route } from "../shared/http/routes.ts";
import { getPatient } from "../shared/patients/get-patient.ts";

export const handler = endpoint(route, ({ id }) => getPatient(id));
