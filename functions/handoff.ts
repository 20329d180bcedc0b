import { preconditionsOf } from "../shared/contract/preconditions.ts";
import { addMessage } from "../shared/handoff/add-message.ts";
import {
  addMessageEndpoint,
  getHandoffEndpoint,
  holdThreadEndpoint,
  returnThreadEndpoint,
} from "../shared/handoff/endpoints.ts";
import { getHandoff } from "../shared/handoff/get-handoff.ts";
import { giveBack, hold } from "../shared/handoff/hold.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { hashOfKey, idempotencyKey } from "../shared/idempotency/idempotency-key.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { stopTurnEndpoint } from "../shared/threads/endpoints.ts";
import { stopTurn } from "../shared/threads/stop-turn.ts";
import { readThread } from "../shared/threads/thread-repository.ts";

await warmUp(() => readThread(SERVICE.tenant, NO_ID));

export const handler = resourceHandler(
  jsonHandler(getHandoffEndpoint, async ({ context, id }) => ({ body: await getHandoff(context, id) })),
  jsonHandler(
    holdThreadEndpoint,
    async ({ context, id, body, event }) => ({ body: await hold(context, id, body, preconditionsOf(event)) }),
    jsonBody,
  ),
  jsonHandler(returnThreadEndpoint, async ({ context, id }) => ({ body: await giveBack(context, id) })),
  jsonHandler(
    addMessageEndpoint,
    ({ context, id, body, event }) => addMessage(context, id, body, idempotencyKey(event, context.caller)),
    jsonBody,
  ),
  jsonHandler(stopTurnEndpoint, async ({ context, id, event }) => ({
    body: await stopTurn(context, id, hashOfKey("key", event.pathParameters?.key ?? "", context.caller)),
  })),
);
