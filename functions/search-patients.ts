import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { searchPatientsEndpoint } from "../shared/patients/endpoints.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { searchPatients } from "../shared/patients/search-patients.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler(
  searchPatientsEndpoint,
  async ({ context, body }) => ({ body: await searchPatients(context, body) }),
  jsonBody,
);
