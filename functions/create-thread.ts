import { openingTurn } from "../shared/chat/opening-question.ts";
import { header } from "../shared/contract/header.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { idempotencyKey } from "../shared/idempotency/idempotency-key.ts";
import { warmUpModel } from "../shared/model/model-client.ts";
import { readPatient } from "../shared/patients/patient-repository.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { createThread } from "../shared/threads/create-thread.ts";
import { createThreadEndpoint } from "../shared/threads/endpoints.ts";

await warmUp(warmUpModel, () => readPatient(SERVICE, NO_ID));

export const handler = jsonHandler(
  createThreadEndpoint,
  ({ context, body, event }) =>
    createThread(context, body, {
      openingTurn,
      acceptLanguage: header(event, "accept-language"),
      idempotencyKey: idempotencyKey(event, context.caller),
    }),
  jsonBody,
);
