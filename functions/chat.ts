import { SERVICE } from "../shared/caller.ts";
import { chat, loadScreen } from "../shared/chat/chat.ts";
import { chatRequest } from "../shared/chat/chat-request.ts";
import { chatEndpoint, type chatOperation } from "../shared/chat/endpoints.ts";
import { config } from "../shared/config.ts";
import { idempotencyKey } from "../shared/http/idempotency-key.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { streamingHandler } from "../shared/http/streaming-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { clientOf } from "../shared/model/assistant.ts";
import { preconnect } from "../shared/model/model-fetch.ts";
import { readConversation } from "../shared/threads/thread-repository.ts";

await warmUp(
  () => clientOf(config.model),
  () => preconnect(config.model.baseUrl),
  () => readConversation(SERVICE.tenant, NO_ID),
  async () => loadScreen(),
);

export const handler = streamingHandler<typeof chatOperation>(
  chatEndpoint,
  ({ context, body, event, onText, onEvent }) =>
    chat(context, body, {
      idempotencyKey: idempotencyKey(event, context.caller),
      onText,
      onSafety: (safety) => onEvent?.("safety", safety),
      onHandoff: (handoff) => onEvent?.("handoff", handoff),
    }),
  jsonBody(chatRequest),
);
