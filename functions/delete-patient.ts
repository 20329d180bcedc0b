import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { SERVICE } from "../shared/caller.ts";
import { deletePatient } from "../shared/data-lifecycle/delete-patient.ts";
import { deletePatientEndpoint, type deletePatientOperation } from "../shared/data-lifecycle/endpoints.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(loadApiKeys, () => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler<typeof deletePatientOperation>(deletePatientEndpoint, ({ context, id }) =>
  deletePatient(context, id),
);
