import { exportPatientEndpoint } from "../shared/data-lifecycle/endpoints.ts";
import { exportPatient } from "../shared/data-lifecycle/export-patient.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler(exportPatientEndpoint, async ({ context, id }) => ({
  body: await exportPatient(context, id),
}));
