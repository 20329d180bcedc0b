import { chat } from "../chat/chat.ts";
import { type ReplyListener, textListener } from "../chat/reply.ts";
import { invalidField, ServiceError } from "../errors.ts";
import { serverSentEvent } from "../http/event-stream.ts";
import type { Call } from "../http/json-handler.ts";
import { type HttpResponse, renderResult } from "../http/render.ts";
import { respondWithEvents } from "../http/streaming-handler.ts";
import { idempotencyKey } from "../idempotency/idempotency-key.ts";
import { SYSTEM_MESSAGES } from "../request/request-context.ts";
import { CompletionStream, completionOf } from "./completion.ts";
import { type CompletionRequest, chatRequestOf, ignoredIn } from "./completion-request.ts";
import { createCompletionEndpoint as endpoint } from "./endpoints.ts";

/**
 * `POST /openai/v1/chat/completions`: a chat like any other, in the format of OpenAI's API. Alerts, cautions and the
 * disclosure are parts of the text, because clients show nothing else.
 *
 * @throws ServiceError as in {@link chatRequestOf} and {@link chat}
 */
export async function createCompletion({ context, body, event }: Call<CompletionRequest>): Promise<HttpResponse> {
  const request = chatRequestOf(body);
  const { system, user } = ignoredIn(body, request);
  context.ignored = [...(system ? [SYSTEM_MESSAGES] : []), ...context.ignored, ...(user ? ["user"] : [])];
  const key = idempotencyKey(event, context.caller);
  const ask = (listener?: ReplyListener) =>
    chat(context, request, { idempotencyKey: key, listener }).catch((error) => {
      throw inOwnTerms(error);
    });
  if (!body.stream) {
    const { response } = await ask();
    return renderResult(endpoint, completionOf(context, response));
  }
  const answer = async (send: (event: string) => void) => {
    const stream = new CompletionStream(context, send, body.stream_options?.include_usage === true);
    await ask(textListener((text) => stream.write(text)));
    stream.end();
  };
  return respondWithEvents(endpoint, context, answer, serverSentEvent);
}

/** An error of the chat in the terms of this endpoint: what the chat finds invalid is the choice of the patient. */
function inOwnTerms(error: unknown): unknown {
  if (!(error instanceof ServiceError && error.kind === "invalid")) {
    return error;
  }
  const path = "metadata.patient_id";
  const message = error.message.replace("patientId", path);
  return invalidField(path, message, message);
}
