import { header } from "../shared/contract/header.ts";
import { preconditionsOf } from "../shared/contract/preconditions.ts";
import { CLINICAL_TYPES } from "../shared/fhir/clinical-types.ts";
import { createFromFhir } from "../shared/fhir/create-from-fhir.ts";
import { exportFhirEndpoint, importPatientEndpoint, replaceClinicalEndpoint } from "../shared/fhir/endpoints.ts";
import { exportFhir } from "../shared/fhir/export-fhir.ts";
import { replaceClinical } from "../shared/fhir/replace-clinical.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { namesOf } from "../shared/http/query.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { idempotencyKey } from "../shared/idempotency/idempotency-key.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readPatient(SERVICE, NO_ID));

export const handler = resourceHandler(
  jsonHandler(
    importPatientEndpoint,
    ({ context, body, event }) =>
      createFromFhir(context, { body, type: header(event, "content-type") }, idempotencyKey(event, context.caller)),
    jsonBody,
  ),
  jsonHandler(
    replaceClinicalEndpoint,
    ({ context, id, body, event }) =>
      replaceClinical(
        context,
        id,
        { body, type: header(event, "content-type") },
        namesOf(event, "types", CLINICAL_TYPES, CLINICAL_TYPES),
        preconditionsOf(event),
      ),
    jsonBody,
  ),
  jsonHandler(exportFhirEndpoint, ({ context, id }) => exportFhir(context, id)),
);
