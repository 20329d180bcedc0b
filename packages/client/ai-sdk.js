import { ApiError } from "./api-error.js";
import { readEvents } from "./event-stream.js";
import { parse } from "./request.js";

/** @import { Citation, Help, Safety } from "./schemas.d.ts" */

/**
 * The data parts of an answer, for `UIMessage<HealthMetadata, HealthDataParts>`. Show alerts and cautions prominently,
 * with their whole `text`.
 *
 * @typedef {{ level: "emergency" | "crisis", category: Safety["category"], text: string }} Alert an alert's fixed text:
 *   whom to call, and what to do
 * @typedef {Safety["cautions"][number] & { text: string }} Caution
 * @typedef {{ text: string }} Disclosure that an AI answers
 * @typedef {{ text: string }} Held that a person has taken over; the same in each answer until the thread is given back
 * @typedef {{ citations: Citation[] }} Sources the passages of your own information that the answer cites, whose markers in
 *   the words are `[1]` and so on: show them below it
 * @typedef {{ alert: Alert, caution: Caution, disclosure: Disclosure, held: Held, sources: Sources }} HealthDataParts
 */

/**
 * @typedef {object} HealthMetadata
 * @property {boolean} [stored] of an answer: false if it could not be stored, which only happens if someone may be in
 *   danger; asking again adds it to the conversation. Undefined while it is not complete
 * @property {"ai" | "service" | null} [generatedBy] of a loaded answer: whether a model wrote it, or a part of it
 * @property {string} [messageId] of an answer that is stored: its ID in the service, under which feedback is given
 * @property {string} [author] of a message by a person who has taken over the conversation: the person's name
 */

/**
 * @typedef {{ type: "data-alert", id: string, data: Alert }
 *   | { type: "data-caution", id: string, data: Caution }
 *   | { type: "data-disclosure", id: string, data: Disclosure }
 *   | { type: "data-held", id: string, data: Held }
 *   | { type: "data-sources", id: string, data: Sources }} DataPart a data part of a message
 */

/**
 * What {@link HealthChatTransport.sendMessages} streams, a part of the AI SDK's `UIMessageChunk`.
 *
 * @typedef {{ type: "start" }
 *   | { type: "text-start" | "text-end", id: string }
 *   | { type: "text-delta", id: string, delta: string }
 *   | DataPart
 *   | { type: "finish", finishReason: "stop", messageMetadata: HealthMetadata }
 *   | { type: "error", errorText: string, code?: string, help?: Help }} HealthChunk
 */

/**
 * @typedef {object} LoadedMessage a message as `useChat` takes it
 * @property {string} id
 * @property {"user" | "assistant"} role
 * @property {HealthMetadata} [metadata]
 * @property {({ type: "text", text: string } | DataPart)[]} parts
 */

/**
 * @typedef {object} LoadedChat
 * @property {string} id the conversation's; the route refuses messages with another one
 * @property {LoadedMessage[]} messages
 * @property {string} [disclosure] show it before the first answer
 */

/**
 * @typedef {object} TransportOptions
 * @property {string} [api] the application's route; "/api/chat" by default
 * @property {typeof globalThis.fetch} [fetch] the platform's own `fetch` by default
 */

/** @typedef {{ id: string, role: string, parts: readonly { type: string, text?: string }[] }} AnyMessage */

/** How many of the newest messages are read to find those of a person: more than anyone writes in a few seconds. */
const NEWEST = 20;

/** Where the tab keeps the message that waits for its answer. */
const STORAGE_KEY = "health-assistant-pending";

/** Statuses after which sending the message again has the same result. */
const FINAL_STATUSES = [400, 404, 413, 415, 422];

/**
 * The AI SDK's `ChatTransport` to a route of {@link import("./ai-sdk-server.js").createChatHandler}. Errors are
 * {@link ApiError}s: `code` is `thread-not-found` if the conversation has ended.
 *
 * The message that waits for its answer is kept in the tab's session storage, so that a page that is reloaded meanwhile
 * receives the answer.
 */
export class HealthChatTransport {
  #api;
  #fetch;

  /** @param {TransportOptions} [options] */
  constructor({ api = "/api/chat", fetch = (input, init) => globalThis.fetch(input, init) } = {}) {
    this.#api = api;
    this.#fetch = fetch;
  }

  /**
   * Loads the conversation. Pass its `id` and `messages` to `useChat`, with `resume: true`.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<LoadedChat>} at most the last 100 messages
   * @throws ApiError
   */
  async load({ signal } = {}) {
    const response = await this.#request({ signal: signal ?? null });
    /** @type {LoadedChat} */
    const chat = await response.json();
    const pending = pendingMessage(chat.id);
    return pending ? { ...chat, messages: [...without(chat.messages, pending), pending] } : chat;
  }

  /**
   * Returns what a person has written who has taken over, as far as it is not shown yet. Call it every few seconds
   * while the page is visible and no answer is arriving, and append the messages.
   *
   * @param {readonly { id: string }[]} shown the messages that are shown
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<LoadedMessage[]>} oldest first
   * @throws ApiError
   */
  async personMessages(shown, { signal } = {}) {
    const address = `${this.#api}${this.#api.includes("?") ? "&" : "?"}limit=${NEWEST}`;
    const response = await this.#request({ signal: signal ?? null }, address);
    /** @type {LoadedChat} */
    const { messages } = await response.json();
    const known = new Set(shown.map(({ id }) => id));
    return messages.filter(({ id, metadata }) => metadata?.author !== undefined && !known.has(id));
  }

  /**
   * Sends the user's last message. If it has been sent before, its stored answer arrives again, if there is one.
   *
   * @param {{ chatId: string, messages: AnyMessage[], abortSignal?: AbortSignal | undefined,
   *   headers?: Record<string, string> | Headers }} options
   * @returns {Promise<ReadableStream<HealthChunk>>} fails with an ApiError
   */
  async sendMessages({ chatId, messages, abortSignal, headers }) {
    const message = messages.filter(({ role }) => role === "user").at(-1);
    remember(chatId, message);
    const chunks = this.#answer({
      method: "POST",
      headers: { ...Object.fromEntries(new Headers(headers)), "content-type": "application/json" },
      body: JSON.stringify({ id: chatId, messages: [message] }),
      signal: abortSignal ?? null,
    });
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await chunks.next();
        done ? controller.close() : controller.enqueue(value);
      },
      async cancel() {
        await chunks.return();
      },
    });
  }

  /**
   * Continues after a reload: the message that was waiting for its answer is sent again, under its id.
   *
   * @param {{ chatId: string, abortSignal?: AbortSignal | undefined, headers?: Record<string, string> | Headers }}
   *   options
   * @returns {Promise<ReadableStream<HealthChunk> | null>} null if no message was waiting
   */
  async reconnectToStream(options) {
    const pending = pendingMessage(options.chatId);
    return pending ? this.sendMessages({ ...options, messages: [pending] }) : null;
  }

  /**
   * @param {RequestInit} init
   * @returns {AsyncGenerator<HealthChunk, void, void>}
   * @throws ApiError
   */
  async *#answer(init) {
    const { body, status, headers } = await this.#request(init);
    try {
      for await (const { data } of readEvents(/** @type {ReadableStream<Uint8Array>} */ (body))) {
        if (data === "[DONE]") {
          return;
        }
        /** @type {HealthChunk} */
        const chunk = JSON.parse(data);
        if (chunk.type === "error") {
          throw new ApiError(chunk.errorText, { status, headers, body: chunk });
        }
        if (chunk.type === "finish") {
          forget();
        }
        yield chunk;
      }
      throw new Error("the stream ended before the answer did");
    } catch (cause) {
      // Not the original error: the AI SDK would resume by itself, and append the repeated answer to its own beginning.
      throw cause instanceof ApiError || init.signal?.aborted
        ? cause
        : new ApiError("The connection was lost before the answer was complete", { cause });
    }
  }

  /**
   * @param {RequestInit} init
   * @param {string} [address]
   * @throws ApiError for anything but success
   */
  async #request(init, address = this.#api) {
    /** @type {Response} */
    let response;
    try {
      response = await this.#fetch(address, { ...init, cache: "no-store" });
    } catch (cause) {
      throw init.signal?.aborted ? cause : new ApiError("The server cannot be reached", { cause });
    }
    if (!response.ok) {
      const { status, headers } = response;
      if (FINAL_STATUSES.includes(status)) {
        forget();
      }
      const body = /** @type {{ error?: string } | undefined} */ (parse(await response.text()));
      throw new ApiError(body?.error ?? `The server answered with status ${status}`, { status, body, headers });
    }
    return response;
  }
}

/**
 * A message may be pending and stored at once, if only the end of its answer was lost. It is then removed with its
 * answer.
 *
 * @param {LoadedMessage[]} messages
 * @param {LoadedMessage} pending
 */
function without(messages, pending) {
  const text = textOf(pending);
  const place = messages.map((message) => message.role === "user" && textOf(message) === text).lastIndexOf(true);
  return place === -1 ? messages : [...messages.slice(0, place), ...messages.slice(place + 2)];
}

/** @param {AnyMessage} message */
function textOf({ parts }) {
  return parts.map(({ text = "" }) => text).join("\n");
}

/**
 * @param {string} chatId
 * @returns {LoadedMessage | undefined}
 */
function pendingMessage(chatId) {
  const pending = /** @type {any} */ (parse(storage()?.getItem(STORAGE_KEY) ?? ""));
  return pending?.chatId === chatId ? pending.message : undefined;
}

/**
 * @param {string} chatId
 * @param {AnyMessage | undefined} message
 */
function remember(chatId, message) {
  storage()?.setItem(STORAGE_KEY, JSON.stringify({ chatId, message }));
}

function forget() {
  storage()?.removeItem(STORAGE_KEY);
}

/** @returns {Storage | undefined} undefined on a server, or if the browser refuses it */
function storage() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
