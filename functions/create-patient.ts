import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { idempotencyKey } from "../shared/idempotency/idempotency-key.ts";
import { createPatient } from "../shared/patients/create-patient.ts";
import { createPatientEndpoint, type createPatientOperation } from "../shared/patients/endpoints.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { createPatientRequest } from "../shared/patients/patient-requests.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler<typeof createPatientOperation>(
  createPatientEndpoint,
  ({ context, body, event }) => createPatient(context, body, idempotencyKey(event, context.caller)),
  jsonBody(createPatientRequest),
);
