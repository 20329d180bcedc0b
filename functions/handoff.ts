import { addMessage } from "../shared/handoff/add-message.ts";
import {
  addMessageEndpoint,
  type addMessageOperation,
  getHandoffEndpoint,
  type getHandoffOperation,
  holdThreadEndpoint,
  type holdThreadOperation,
  returnThreadEndpoint,
  type returnThreadOperation,
} from "../shared/handoff/endpoints.ts";
import { getHandoff } from "../shared/handoff/get-handoff.ts";
import { addMessageRequest, holdThreadRequest } from "../shared/handoff/handoff-requests.ts";
import { giveBack, hold } from "../shared/handoff/hold.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { idempotencyKey } from "../shared/idempotency/idempotency-key.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { readThread } from "../shared/threads/thread-repository.ts";

await warmUp(() => readThread(SERVICE.tenant, NO_ID));

export const handler = resourceHandler(
  jsonHandler<typeof getHandoffOperation>(getHandoffEndpoint, ({ context, id }) => getHandoff(context, id)),
  jsonHandler<typeof holdThreadOperation>(
    holdThreadEndpoint,
    ({ context, id, body }) => hold(context, id, body),
    jsonBody(holdThreadRequest),
  ),
  jsonHandler<typeof returnThreadOperation>(returnThreadEndpoint, ({ context, id }) => giveBack(context, id)),
  jsonHandler<typeof addMessageOperation>(
    addMessageEndpoint,
    ({ context, id, body, event }) => addMessage(context, id, body, idempotencyKey(event, context.caller)),
    jsonBody(addMessageRequest),
  ),
);
