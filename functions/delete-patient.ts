import { preconditionsOf } from "../shared/contract/preconditions.ts";
import { deletePatient } from "../shared/data-lifecycle/delete-patient.ts";
import { deletePatientEndpoint } from "../shared/data-lifecycle/endpoints.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler(deletePatientEndpoint, async ({ context, id, event }) => ({
  body: await deletePatient(context, id, preconditionsOf(event)),
}));
