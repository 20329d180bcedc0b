import { SERVICE } from "../shared/caller.ts";
import { exportPatientEndpoint, type exportPatientOperation } from "../shared/data-lifecycle/endpoints.ts";
import { exportPatient } from "../shared/data-lifecycle/export-patient.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler<typeof exportPatientOperation>(exportPatientEndpoint, ({ context, id }) =>
  exportPatient(context, id),
);
