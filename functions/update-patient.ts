import { preconditionsOf } from "../shared/contract/preconditions.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { updatePatientEndpoint } from "../shared/patients/endpoints.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { patchPatient } from "../shared/patients/update-patient.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler(
  updatePatientEndpoint,
  ({ context, id, body, event }) => patchPatient(context, id, body, preconditionsOf(event)),
  jsonBody,
);
