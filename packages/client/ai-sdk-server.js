import { answerChunks, dataPart, disclosurePart } from "./ai-sdk-chunks.js";
import { ApiError } from "./api-error.js";
import { parse } from "./request.js";

/** @import { ChatEvent, HealthAssistantClient } from "./client.js" */
/** @import { ChatRequest, ThreadMessage } from "./schemas.d.ts" */
/** @import { LoadedChat, LoadedMessage } from "./ai-sdk.js" */

/**
 * The conversation that a request belongs to.
 *
 * @typedef {Omit<ChatRequest, "message" | "threadId" | "conversationHistory" | "include">
 *   & { threadId: string, disclosure?: string }} Conversation `disclosure`: what people are told about the AI, as
 *   `createThread` returns it with `include: ["disclosure"]`
 */

/**
 * @typedef {object} ChatHandlerOptions
 * @property {HealthAssistantClient} client
 * @property {(request: Request) => Conversation | Response | Promise<Conversation | Response>} conversation decides,
 *   from the session and never from what the browser says, which thread a request may use. A response refuses the
 *   request
 */

/** Marks the messages of {@link LoadedChat}: they are stored already, so they cannot be sent again. */
const STORED = "stored-";

/** The service accepts up to 255 printable characters as a key. */
const MESSAGE_ID = /^[\x21-\x7e]{1,255}$/;

/** As many messages as one request returns. */
const LOADED_MESSAGES = 100;

/** The header that marks text by an AI. */
const AI_MARK = "ai-disclosure";

/** The headers of a stream that the AI SDK reads. */
const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no", // or nginx holds the stream back
  "x-vercel-ai-ui-message-stream": "v1",
};

/** The status that nginx logs for a request whose sender did not wait for the response. */
const CLIENT_GONE = 499;

/** Statuses that concern the API key, which is not the browser's, unless the code says that the patient's consent is missing. */
const KEY_REFUSED = [401, 403];
const CONSENT_REQUIRED = "consent-required";

/**
 * Makes the handler of an application's own route, such as `/api/chat`, for any server with the Fetch API. The key
 * stays on the server. `POST` answers the last message, as a UI message stream of the AI SDK; `GET` returns the stored
 * messages.
 *
 * A message's id is its `Idempotency-Key`: sent again, it gets the answer that is stored, and the model is not asked
 * again.
 *
 * @param {ChatHandlerOptions} options
 * @returns {(request: Request) => Promise<Response>} rejects only with what `conversation` throws, except an
 *   {@link ApiError}, which becomes a response like those of the chat
 */
export function createChatHandler({ client, conversation }) {
  return async (request) => {
    try {
      const chosen = await conversation(request);
      if (chosen instanceof Response) {
        return chosen;
      }
      return request.method === "GET"
        ? await load(client, chosen, limitOf(request))
        : await answer(client, chosen, request);
    } catch (error) {
      if (error instanceof ApiError) {
        return failure(error);
      }
      if (request.signal.aborted) {
        return new Response(null, { status: CLIENT_GONE });
      }
      throw error;
    }
  };
}

/**
 * @param {HealthAssistantClient} client
 * @param {Conversation} conversation
 * @param {number} limit
 */
async function load(client, { threadId, disclosure }, limit) {
  const headers = new Headers({ "cache-control": "no-store" });
  const { messages } = await client.listMessages(threadId, {
    limit,
    include: "parts",
    onHeaders: passMarkTo(headers),
  });
  /** @type {LoadedChat} */
  const chat = {
    id: threadId,
    messages: messages.map((message) => storedMessage(message, disclosure)).reverse(),
    ...(disclosure !== undefined && { disclosure }),
  };
  return Response.json(chat, { headers });
}

/**
 * How many of the newest messages the page asks for.
 *
 * @param {Request} request
 */
function limitOf({ url }) {
  const limit = Number(new URL(url).searchParams.get("limit"));
  return Number.isInteger(limit) && limit > 0 && limit < LOADED_MESSAGES ? limit : LOADED_MESSAGES;
}

/**
 * Keeps the mark of text by an AI with the text.
 *
 * @param {Headers} headers of the response to the browser
 */
function passMarkTo(headers) {
  /** @param {Headers} received */
  return (received) => {
    const mark = received.get(AI_MARK);
    if (mark !== null) {
      headers.set(AI_MARK, mark);
    }
  };
}

/**
 * @param {ThreadMessage} message
 * @param {string | undefined} disclosure
 * @returns {LoadedMessage}
 */
function storedMessage(message, disclosure) {
  const { id, role, generatedBy, author, content, parts = [{ kind: "words", text: content }] } = message;
  return {
    id: STORED + id,
    role: role === "user" ? "user" : "assistant", // for the interface, a person who has taken over is one too
    metadata: {
      stored: true,
      generatedBy,
      ...(role === "assistant" && { messageId: id }),
      ...(author !== undefined && { author }),
    },
    parts: [
      ...(role === "assistant" && disclosure !== undefined ? [disclosurePart(disclosure)] : []),
      ...parts.map((part) => dataPart(part) ?? /** @type {const} */ ({ type: "text", text: part.text })),
    ],
  };
}

/**
 * @param {HealthAssistantClient} client
 * @param {Conversation} conversation
 * @param {Request} request
 */
async function answer(client, { disclosure, ...conversation }, request) {
  const { chatId, idempotencyKey, message } = await lastMessage(request);
  // A tab that still shows another conversation must not add to this one, which may be about another patient.
  if (chatId !== conversation.threadId) {
    throw refusal(404, "Thread not found or expired", "thread-not-found");
  }
  const stop = new AbortController();
  const responseHeaders = new Headers(STREAM_HEADERS);
  const events = client.streamChat(
    { ...conversation, message, include: ["parts", "ids", "sources"] },
    {
      idempotencyKey,
      signal: AbortSignal.any([request.signal, stop.signal]),
      onHeaders: passMarkTo(responseHeaders),
    },
  );
  const first = await events.next(); // until then, a failure has a status of its own
  const chunks = answerChunks(startingWith(first, events), disclosure);
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      controller.enqueue(encoder.encode(`data: ${done ? "[DONE]" : JSON.stringify(value)}\n\n`));
      if (done) {
        controller.close();
      }
    },
    cancel: () => stop.abort(),
  });
  return new Response(body, { headers: responseHeaders });
}

/**
 * Reads the request of a `ChatTransport`. The AI SDK's default one sends all messages; only the last one counts.
 *
 * @param {Request} request
 * @throws ApiError for a request that is not one
 */
async function lastMessage(request) {
  // Pages of other sites cannot send this type without a preflight request, which is refused.
  if (!request.headers.get("content-type")?.startsWith("application/json")) {
    throw refusal(415, "The body must be JSON", "unsupported-media-type");
  }
  const { id: chatId, messages } = /** @type {any} */ (parse(await request.text()) ?? {});
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  const { id, role, parts } = last ?? {};
  if (role !== "user" || !Array.isArray(parts) || typeof id !== "string" || !MESSAGE_ID.test(id)) {
    throw refusal(400, "The last message must be the user's, with an id and parts", "invalid-request");
  }
  if (id.startsWith(STORED)) {
    throw refusal(400, "A stored message cannot be changed or answered again", "invalid-request");
  }
  const texts = parts.map((part) => part?.type === "text" && part.text);
  if (!texts.every((text) => typeof text === "string")) {
    throw refusal(400, "A message can only contain text", "invalid-request");
  }
  return { chatId, idempotencyKey: id, message: texts.join("\n") };
}

/**
 * @param {number} status
 * @param {string} error
 * @param {string} code
 */
function refusal(status, error, code) {
  return new ApiError(error, { status, headers: new Headers({ "x-error-code": code }) });
}

/** @param {ApiError} error */
function failure({ status, message, code, details, retryAfter, requestId, help }) {
  const headers = new Headers({ "cache-control": "no-store" });
  if (status === 0 || (KEY_REFUSED.includes(status) && code !== CONSENT_REQUIRED)) {
    return Response.json({ error: "The assistant is not available" }, { status: 502, headers });
  }
  for (const [name, value] of Object.entries({
    "x-error-code": code,
    "x-request-id": requestId,
    "retry-after": retryAfter,
  })) {
    if (value !== undefined) {
      headers.set(name, String(value));
    }
  }
  return Response.json({ error: message, details, help }, { status, headers });
}

/**
 * @param {IteratorResult<ChatEvent, void>} first
 * @param {AsyncGenerator<ChatEvent, void, void>} events
 */
async function* startingWith(first, events) {
  if (!first.done) {
    yield first.value;
    yield* events;
  }
}
