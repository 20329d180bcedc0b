import { chat } from "../shared/chat/chat.ts";
import { chatEvents } from "../shared/chat/chat-events.ts";
import { chatEndpoint } from "../shared/chat/endpoints.ts";
import { loadSafety } from "../shared/chat/screen-message.ts";
import { header } from "../shared/contract/header.ts";
import { prefersEventStream } from "../shared/http/accept.ts";
import { serverSentEvent } from "../shared/http/event-stream.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { renderResult } from "../shared/http/render.ts";
import { respondWithEvents, streamingHandler } from "../shared/http/streaming-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { idempotencyKey } from "../shared/idempotency/idempotency-key.ts";
import { warmUpModel } from "../shared/model/model-client.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { readConversation } from "../shared/threads/thread-repository.ts";

await warmUp(
  warmUpModel,
  () => readConversation(SERVICE.tenant, NO_ID),
  async () => loadSafety(),
);

export const handler = streamingHandler(
  chatEndpoint,
  async ({ context, body, event }) => {
    const key = idempotencyKey(event, context.caller);
    if (!prefersEventStream(header(event, "accept"))) {
      const result = await chat(context, body, { idempotencyKey: key });
      return renderResult(chatEndpoint, result);
    }
    const answer = async (send: (event: string) => void) => {
      const listener = chatEvents(body, (data, name) => send(serverSentEvent(data, name)));
      const result = await chat(context, body, { idempotencyKey: key, listener });
      send(serverSentEvent(result, "done"));
    };
    return respondWithEvents(chatEndpoint, context, answer, (error) => serverSentEvent(error, "error"));
  },
  jsonBody,
);
