import { jsonHandler } from "../shared/http/json-handler.ts";
import { includes } from "../shared/http/query.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { getPatientEndpoint } from "../shared/patients/endpoints.ts";
import { getPatient } from "../shared/patients/get-patient.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler(getPatientEndpoint, ({ context, id, event }) =>
  getPatient(context, id, includes(event, "clinical")),
);
