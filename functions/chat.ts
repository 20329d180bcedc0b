import { chat } from "../shared/chat/chat.ts";
import { chatRequest } from "../shared/chat/chat-schemas.ts";
import { idempotencyKey } from "../shared/http/idempotency-key.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { chat as route } from "../shared/http/routes.ts";
import { streamingEndpoint } from "../shared/http/streaming-endpoint.ts";

export const handler = streamingEndpoint(
  route,
  ({ body, event, remainingMilliseconds, onText }) =>
    chat(body, { remainingMilliseconds, onText, idempotencyKey: idempotencyKey(event) }),
  jsonBody(chatRequest),
);
