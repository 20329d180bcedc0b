import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { config } from "../shared/config.ts";
import { endpoint } from "../shared/http/endpoint.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { clientOf } from "../shared/model/assistant.ts";
import { preconnect } from "../shared/model/model-fetch.ts";
import { createThread as route } from "../shared/openapi/routes.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { createThread } from "../shared/threads/create-thread.ts";
import { createThreadRequest } from "../shared/threads/thread-schemas.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(
  loadApiKeys,
  () => clientOf(config.model),
  () => preconnect(config.model.baseUrl),
  () => readPatient(NO_ID),
);

export const handler = endpoint(route, ({ body }) => createThread(body), jsonBody(createThreadRequest));
