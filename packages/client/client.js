import { ApiError } from "./api-error.js";
import { readEvents } from "./event-stream.js";
import { parse, send } from "./request.js";

/** @import { Call, Connection } from "./request.js" */
/**
 * @import {
 *  AddMessageRequest, AddMessageResult, AnswerPart, ChatRequest, ChatResult, CountFeedbackResult,
 *  CreatePatientRequest, CreatePatientResult, CreateThreadRequest, CreateThreadResult, CreateWebhookRequest,
 *  CreateWebhookResult, DeletePatientResult, DeleteSourceResult, DeleteThreadResult, DeleteWebhookResult,
 *  ExportPatientResult, FeedbackRequest, FhirBundle, FhirRecord, GetHandoffResult, GetPatientResult,
 *  GetProfileResult, GetSourceResult, GetThreadResult, GiveFeedbackResult, HoldThreadRequest, HoldThreadResult,
 *  ImportPatientResult, ListEventsResult, ListMessagesResult, ListPatientThreadsResult, ListSourcesResult,
 *  ListWebhooksResult, OpenApiDocument, Profile, PutProfileResult, PutSourceRequest, PutSourceResult, ReplaceClinicalResult,
 *  ReturnThreadResult, RotateWebhookResult, Safety, SearchPatientsRequest, SearchPatientsResult, StopTurnResult,
 *  TestWebhookResult, UpdatePatientRequest, UpdatePatientResult, WithdrawFeedbackResult
 * } from "./schemas.d.ts"
 */
/** @typedef {import("./request.js").CallOptions} CallOptions */

/** The gateway closes every connection after 29 seconds, so no response arrives later than this. */
const TIMEOUT_MILLISECONDS = 30_000;
const RETRIES = 2;

/** Makes a field that the service does not know an error, instead of ignoring it: a typo could lose an allergy. */
const STRICT = { prefer: "handling=strict" };

/** The status of a retry whose first attempt is still running at the end of the retry's wait. */
const STILL_PROCESSED = 409;

/**
 * @typedef {object} ClientOptions
 * @property {string} baseUrl the service's base address, such as https://…/v1
 * @property {string} apiKey sent in the X-API-Key header and nowhere else
 * @property {number} [timeoutMilliseconds] how long each attempt may take; 30 seconds by default
 * @property {number} [retries] the maximum number of retries per call; 2 by default
 * @property {typeof globalThis.fetch} [fetch] sends each attempt; the platform's own `fetch` by default
 */

/**
 * @typedef {CallOptions & { idempotencyKey?: string }} ChatOptions `idempotencyKey`: pass the key of an earlier call on
 *   the same thread to repeat that call; random by default
 */

/**
 * @typedef {CallOptions & { idempotencyKey?: string }} CreateOptions `idempotencyKey`: pass the key of an earlier call
 *   to repeat that call; random by default
 */

/**
 * @typedef {CreateOptions & { strict?: boolean }} CreatePatientOptions `strict`: false ignores unknown fields; by
 *   default, they are an error that names the field that was probably meant
 */

/** @typedef {CallOptions & { limit?: number, before?: string }} PageOptions a page of a list: its size and cursor */

/**
 * @typedef {CallOptions & { ifMatch?: string }} ConditionOptions `ifMatch` is the ETag of the record that you have read
 *   (see `onHeaders`): the call then fails with a 412 if the record has changed since
 */

/**
 * An event of a streamed answer: a piece of its text, or its end. With `include: ["parts"]`, `part` announces each
 * part, without its text, and every `delta` says with its number to which part it belongs. With `include: ["safety"]`,
 * the safety findings come before the text that they concern; with `include: ["handoff"]`, why a person is needed comes
 * after the last text.
 *
 * @typedef {{ event: "part", number: number, part: AnswerPart }
 *   | { event: "delta", text: string, part?: number }
 *   | { event: "safety", safety: Safety }
 *   | { event: "handoff", handoff: NonNullable<ChatResult["handoff"]> }
 *   | { event: "done", response: ChatResult }} ChatEvent
 */

/**
 * The service's endpoints as methods. Each returns the body of a successful response. Otherwise, it throws an
 * {@link ApiError}, unless the caller's own `signal` aborted the call: then it throws the signal's reason, which is
 * what was passed to `abort()`, or without that a `DOMException` named `AbortError` (`TimeoutError` from
 * `AbortSignal.timeout`). Transient failures are retried; each method documents the effect of a retry.
 */
export class HealthAssistantClient {
  /** @type {Connection} */
  #connection;

  /**
   * @param {ClientOptions} options
   * @throws {TypeError} when the base URL or the key is invalid
   */
  constructor({
    baseUrl,
    apiKey,
    timeoutMilliseconds = TIMEOUT_MILLISECONDS,
    retries = RETRIES,
    fetch = (input, init) => globalThis.fetch(input, init),
  }) {
    if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(baseUrl)) {
      throw new TypeError("baseUrl must be an http or https address without credentials, query or fragment");
    }
    if (typeof apiKey !== "string" || apiKey === "") {
      throw new TypeError("apiKey is missing: pass the API key of the service, such as process.env.API_KEY");
    }
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError("apiKey must consist of printable ASCII characters");
    }
    this.#connection = { baseUrl: baseUrl.replace(/\/+$/, ""), apiKey, fetch, retries, timeoutMilliseconds };
  }

  /**
   * Sends a message to the assistant. All attempts have the same `Idempotency-Key`, so on a thread the model is called
   * once and one turn is stored. Without a thread, nothing is stored.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {Promise<ChatResult>}
   */
  chat(request, options = {}) {
    return this.#call(chatCall(request, options), options);
  }

  /**
   * Sends a message to the assistant and yields the answer as it arrives: `delta` for each piece, and `done` with the
   * body of {@link chat} when the turn is stored; with `include`, also `part`, `safety` and `handoff`. The request is
   * sent when the first event is read; leaving the loop closes the connection.
   *
   * Retried like `chat`, but only until the first event. After that, call it again with the same `idempotencyKey`: a
   * turn on a thread is stored even if the stream is not read to its end, and the repeated call returns it.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {AsyncGenerator<ChatEvent, void, void>}
   */
  async *streamChat(request, options = {}) {
    const call = chatCall(request, options);
    const asked = { ...call, headers: { ...call.headers, accept: "text/event-stream" } };
    yield* await send(this.#connection, asked, options, readAnswer);
  }

  /**
   * Creates a thread. All attempts have the same `Idempotency-Key`, so a retry after a lost response does not create
   * another.
   *
   * @param {CreateThreadRequest} [request]
   * @param {CreateOptions} [options]
   * @returns {Promise<CreateThreadResult>}
   */
  createThread(request = {}, options = {}) {
    return this.#call(createCall("/threads", request, options), options);
  }

  /**
   * @param {string} threadId
   * @param {CallOptions & { include?: "metadata" }} [options] `include` also returns the thread's metadata
   * @returns {Promise<GetThreadResult>}
   */
  getThread(threadId, options = {}) {
    const { include } = options;
    return this.#get(pathOf("threads", threadId) + query({ include }), options);
  }

  /**
   * Lists the messages of a thread, newest first. For the next page, pass `next` as `before`.
   *
   * @param {string} threadId
   * @param {PageOptions & { include?: "parts" | "safety" | "parts,safety" }} [options] `include` also returns the parts
   *   of the answers, and what the safety layer found in the messages
   * @returns {Promise<ListMessagesResult>}
   */
  listMessages(threadId, options = {}) {
    const { limit, before, include } = options;
    return this.#get(`${pathOf("threads", threadId)}/messages${query({ limit, before, include })}`, options);
  }

  /**
   * Permanently deletes a thread. If the response is lost, the call is retried; a retry that finds no thread is a
   * success, because an earlier attempt deleted it.
   *
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<DeleteThreadResult>}
   */
  deleteThread(threadId, options = {}) {
    return this.#delete(pathOf("threads", threadId), "Thread deleted successfully", options);
  }

  /**
   * Stores feedback on an answer, in place of earlier feedback on it.
   *
   * @param {string} threadId
   * @param {string} messageId of an answer, from `listMessages` or from a chat with `include: ["ids"]`
   * @param {FeedbackRequest} feedback
   * @param {CallOptions} [options]
   * @returns {Promise<GiveFeedbackResult>}
   */
  giveFeedback(threadId, messageId, feedback, options = {}) {
    const path = feedbackPath(threadId, messageId);
    return this.#call({ method: "PUT", path, body: feedback, repeatable: true }, options);
  }

  /**
   * Withdraws the feedback on an answer. Not an error if there is none.
   *
   * @param {string} threadId
   * @param {string} messageId
   * @param {CallOptions} [options]
   * @returns {Promise<WithdrawFeedbackResult>}
   */
  withdrawFeedback(threadId, messageId, options = {}) {
    return this.#call({ method: "DELETE", path: feedbackPath(threadId, messageId), repeatable: true }, options);
  }

  /**
   * Counts feedback by day, rating, model and other fields.
   *
   * @param {CallOptions & { from?: string, to?: string, by?: string }} [options] `from` and `to` are days such as
   *   2026-03-01; `by` names the fields, separated by commas
   * @returns {Promise<CountFeedbackResult>}
   */
  countFeedback(options = {}) {
    const { from, to, by } = options;
    return this.#get(`/feedback${query({ from, to, by })}`, options);
  }

  /**
   * Puts a thread into the hands of a person: the assistant no longer answers. A retry changes nothing.
   *
   * @param {string} threadId
   * @param {HoldThreadRequest} [request]
   * @param {CallOptions & { unlessHeld?: boolean }} [options] with `unlessHeld`, the call fails with a 412 if another
   *   person has taken over, instead of replacing that person
   * @returns {Promise<HoldThreadResult>}
   */
  holdThread(threadId, request = {}, options = {}) {
    const path = `${pathOf("threads", threadId)}/handoff`;
    const call = /** @type {Call} */ ({ method: "PUT", path, body: request, repeatable: true });
    return this.#call(options.unlessHeld ? { ...call, headers: { "if-none-match": "*" } } : call, options);
  }

  /**
   * Returns who has taken over a thread or, if nobody has, the user's open request for a person.
   *
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<GetHandoffResult>}
   */
  getHandoff(threadId, options = {}) {
    return this.#get(`${pathOf("threads", threadId)}/handoff`, options);
  }

  /**
   * Gives a thread back to the assistant. A retry changes nothing.
   *
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<ReturnThreadResult>}
   */
  returnThread(threadId, options = {}) {
    const path = `${pathOf("threads", threadId)}/handoff`;
    return this.#call({ method: "DELETE", path, repeatable: true }, options);
  }

  /**
   * Stops the answer to a message. The chat itself then responds with what has arrived of it. A retry changes nothing.
   *
   * @param {string} threadId
   * @param {string} idempotencyKey the key that the chat was sent with
   * @param {CallOptions} [options]
   * @returns {Promise<StopTurnResult>}
   */
  stopTurn(threadId, idempotencyKey, options = {}) {
    const path = `${pathOf("threads", threadId)}/turns/${encodeURIComponent(idempotencyKey)}`;
    return this.#call({ method: "DELETE", path, repeatable: true }, options);
  }

  /**
   * Adds a message by the person who has taken over the thread. All attempts have the same `Idempotency-Key`, so a
   * retry after a lost response does not add it again.
   *
   * @param {string} threadId
   * @param {AddMessageRequest} request
   * @param {CreateOptions} [options]
   * @returns {Promise<AddMessageResult>}
   */
  addMessage(threadId, request, options = {}) {
    return this.#call(createCall(`${pathOf("threads", threadId)}/messages`, request, options), options);
  }

  /**
   * Creates a patient. All attempts have the same `Idempotency-Key`, so a retry after a lost response does not create
   * another. A field that the service does not know is a 400, unless `strict` is false.
   *
   * @param {CreatePatientRequest} request
   * @param {CreatePatientOptions} [options]
   * @returns {Promise<CreatePatientResult>}
   */
  createPatient(request, options = {}) {
    const call = createCall("/patients", request, options);
    const headers = { ...call.headers, ...(options.strict !== false && STRICT) };
    return this.#call({ ...call, headers }, options);
  }

  /**
   * @param {string} patientId
   * @param {CallOptions & { include?: "clinical" }} [options] `include` also returns the date of birth and imported
   *   entries
   * @returns {Promise<GetPatientResult>}
   */
  getPatient(patientId, options = {}) {
    const { include } = options;
    return this.#get(pathOf("patients", patientId) + query({ include }), options);
  }

  /**
   * Updates a patient's record with a JSON merge patch: null removes a field, and an unknown one is a 400. If the
   * response is lost, the call is retried, except with `ifMatch`: the record may then have changed because of the first
   * attempt.
   *
   * @param {string} patientId
   * @param {UpdatePatientRequest} patch
   * @param {ConditionOptions} [options]
   * @returns {Promise<UpdatePatientResult>}
   */
  updatePatient(patientId, patch, options = {}) {
    return this.#change(
      { method: "PATCH", path: pathOf("patients", patientId), body: patch, headers: STRICT },
      options,
    );
  }

  /**
   * Erases a patient: the record and all threads about the patient. If the response is lost, the call is retried; a
   * retry that finds no patient is a success, because an earlier attempt erased it. In this case, the result has no
   * `erased`, because what the earlier attempt deleted is unknown.
   *
   * @param {string} patientId
   * @param {ConditionOptions} [options]
   * @returns {Promise<Omit<DeletePatientResult, "erased"> & Partial<Pick<DeletePatientResult, "erased">>>}
   */
  deletePatient(patientId, options = {}) {
    return this.#delete(pathOf("patients", patientId), "Patient deleted successfully", options);
  }

  /**
   * Finds the patient with a phone number. Creates nothing.
   *
   * @param {SearchPatientsRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<SearchPatientsResult>}
   */
  searchPatients(request, options = {}) {
    return this.#call({ method: "POST", path: "/patients/search", body: request, repeatable: true }, options);
  }

  /**
   * Lists the active threads about a patient, newest first. For the next page, pass `next` as `before`.
   *
   * @param {string} patientId
   * @param {PageOptions} [options]
   * @returns {Promise<ListPatientThreadsResult>}
   */
  listPatientThreads(patientId, options = {}) {
    const { limit, before } = options;
    return this.#get(`${pathOf("patients", patientId)}/threads${query({ limit, before })}`, options);
  }

  /**
   * Returns everything stored about a patient.
   *
   * @param {string} patientId
   * @param {CallOptions} [options]
   * @returns {Promise<ExportPatientResult>}
   */
  exportPatient(patientId, options = {}) {
    return this.#get(`${pathOf("patients", patientId)}/export`, options);
  }

  /**
   * Returns what the clinic says about itself, and what applies to its patients.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<GetProfileResult>}
   */
  getProfile(options = {}) {
    return this.#get("/profile", options);
  }

  /**
   * Replaces what the clinic says about itself; `{}` removes it.
   *
   * @param {Profile} profile
   * @param {ConditionOptions} [options]
   * @returns {Promise<PutProfileResult>}
   */
  putProfile(profile, options = {}) {
    return this.#change({ method: "PUT", path: "/profile", body: profile }, options);
  }

  /**
   * Stores a source, a text of the clinic from which the assistant may answer, in place of the one with this id. Not
   * retried with `ifMatch`: the source may then have changed because of the first attempt.
   *
   * @param {string} sourceId
   * @param {PutSourceRequest} source
   * @param {ConditionOptions} [options]
   * @returns {Promise<PutSourceResult>}
   */
  putSource(sourceId, source, options = {}) {
    return this.#change({ method: "PUT", path: pathOf("sources", sourceId), body: source, headers: STRICT }, options);
  }

  /**
   * Lists the sources by their ids, without their texts.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<ListSourcesResult>}
   */
  listSources(options = {}) {
    return this.#get("/sources", options);
  }

  /**
   * Returns a source with its text.
   *
   * @param {string} sourceId
   * @param {CallOptions} [options]
   * @returns {Promise<GetSourceResult>}
   */
  getSource(sourceId, options = {}) {
    return this.#get(pathOf("sources", sourceId), options);
  }

  /**
   * Deletes a source. If the response is lost, the call is retried; a retry that finds no source is a success.
   *
   * @param {string} sourceId
   * @param {ConditionOptions} [options]
   * @returns {Promise<DeleteSourceResult>}
   */
  deleteSource(sourceId, options = {}) {
    return this.#delete(pathOf("sources", sourceId), "Source deleted successfully", options);
  }

  /**
   * Creates a patient from a Bundle or a Patient of FHIR R4. The response says what was taken over, and what was not.
   *
   * @param {FhirRecord} record
   * @param {CreateOptions} [options]
   * @returns {Promise<ImportPatientResult>}
   */
  importPatient(record, options = {}) {
    return this.#call(createCall("/patients/fhir", record, options), options);
  }

  /**
   * Replaces conditions, allergies and medications of a patient by those of a Bundle of FHIR R4. If the response is
   * lost, the call is retried, except with `ifMatch`: the record may then have changed because of the first attempt.
   *
   * @param {string} patientId
   * @param {FhirRecord} record
   * @param {ConditionOptions & { types?: readonly string[] }} [options] `types`: the resource types of which the record
   *   has everything; the stored entries of the others stay
   * @returns {Promise<ReplaceClinicalResult>}
   */
  replaceClinical(patientId, record, options = {}) {
    const query = options.types ? `?types=${options.types.join()}` : "";
    return this.#change(
      { method: "PUT", path: `${pathOf("patients", patientId)}/fhir${query}`, body: record },
      options,
    );
  }

  /**
   * Returns a patient's record as a Bundle of FHIR R4.
   *
   * @param {string} patientId
   * @param {CallOptions} [options]
   * @returns {Promise<FhirBundle>}
   */
  exportFhir(patientId, options = {}) {
    return this.#get(`${pathOf("patients", patientId)}/fhir`, options);
  }

  /**
   * Creates a webhook. Not retried: the secret would be lost with the first response, so look for the webhook in
   * {@link listWebhooks}, and delete it, before you repeat the call.
   *
   * @param {CreateWebhookRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<CreateWebhookResult>}
   */
  createWebhook(request, options = {}) {
    return this.#call({ method: "POST", path: "/webhooks", body: request, repeatable: false }, options);
  }

  /**
   * Lists the webhooks, oldest first.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<ListWebhooksResult>}
   */
  listWebhooks(options = {}) {
    return this.#get("/webhooks", options);
  }

  /**
   * Deletes a webhook. If the response is lost, the call is retried; a retry that finds no webhook is a success,
   * because an earlier attempt deleted it.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<DeleteWebhookResult>}
   */
  deleteWebhook(webhookId, options = {}) {
    return this.#delete(pathOf("webhooks", webhookId), "Webhook deleted successfully", options);
  }

  /**
   * Replaces a webhook's secret. Not retried: a second rotation would end the secret that receivers still use.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<RotateWebhookResult>}
   */
  rotateWebhook(webhookId, options = {}) {
    return this.#call({ method: "POST", path: `${pathOf("webhooks", webhookId)}/rotate`, repeatable: false }, options);
  }

  /**
   * Sends a test message to a webhook, and returns the outcome. If the response is lost, another message is sent.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<TestWebhookResult>}
   */
  testWebhook(webhookId, options = {}) {
    return this.#call({ method: "POST", path: `${pathOf("webhooks", webhookId)}/test`, repeatable: true }, options);
  }

  /**
   * Lists the events of the last seven days, oldest first. To continue, now or later, pass `next` as `after`.
   *
   * @param {CallOptions & { limit?: number, after?: string }} [options]
   * @returns {Promise<ListEventsResult>}
   */
  listEvents(options = {}) {
    const { limit, after } = options;
    return this.#get(`/events${query({ limit, after })}`, options);
  }

  /**
   * Returns the OpenAPI document, from which this client's types are generated.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<OpenApiDocument>}
   */
  openapi(options = {}) {
    return this.#get("/openapi.json", options);
  }

  /**
   * @template T
   * @param {string} path
   * @param {CallOptions} options
   * @returns {Promise<T>}
   */
  #get(path, options) {
    return this.#call({ method: "GET", path, repeatable: true }, options);
  }

  /**
   * Repeats a change only without a condition, which the first attempt may have made false.
   *
   * @template T
   * @param {Omit<Call, "repeatable">} call
   * @param {ConditionOptions} options
   * @returns {Promise<T>}
   */
  #change(call, options) {
    const { ifMatch } = options;
    const headers = { ...call.headers, ...condition(ifMatch) };
    return this.#call({ ...call, headers, repeatable: ifMatch === undefined }, options);
  }

  /**
   * A repetition that finds nothing is a success.
   *
   * @template T
   * @param {string} path
   * @param {string} message of the successful response
   * @param {ConditionOptions} options
   * @returns {Promise<T>}
   */
  #delete(path, message, options) {
    const doneBefore = { status: 404, result: { success: true, message } };
    const headers = condition(options.ifMatch);
    return this.#call({ method: "DELETE", path, headers, repeatable: true, doneBefore }, options);
  }

  /**
   * @template T
   * @param {Call} call
   * @param {CallOptions} options
   * @returns {Promise<T>}
   */
  #call(call, options) {
    return send(this.#connection, call, options, readJson);
  }
}

/**
 * @param {ChatRequest} body
 * @param {ChatOptions} options
 * @returns {Call}
 */
function chatCall(body, { idempotencyKey = newKey() }) {
  return {
    method: "POST",
    path: "/chat",
    body,
    headers: { "idempotency-key": idempotencyKey },
    repeatable: true,
    retriedStatuses: [STILL_PROCESSED],
  };
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {CreateOptions} options
 * @returns {Call}
 */
function createCall(path, body, { idempotencyKey = newKey() }) {
  return { method: "POST", path, body, headers: { "idempotency-key": idempotencyKey }, repeatable: true };
}

/**
 * @param {string} threadId
 * @param {string} messageId
 */
function feedbackPath(threadId, messageId) {
  return `${pathOf("threads", threadId)}/messages/${encodeURIComponent(messageId)}/feedback`;
}

/**
 * @param {"patients" | "sources" | "threads" | "webhooks"} collection
 * @param {string} id
 */
function pathOf(collection, id) {
  return `/${collection}/${encodeURIComponent(id)}`;
}

/**
 * @param {string | undefined} ifMatch
 * @returns {Record<string, string>}
 */
function condition(ifMatch) {
  return ifMatch === undefined ? {} : { "if-match": ifMatch };
}

/** @param {Record<string, string | number | undefined>} parameters undefined ones are omitted */
function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Not `crypto.randomUUID`, which browsers offer only to pages from HTTPS or localhost. */
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function readJson(response) {
  const body = parse(await response.text());
  if (typeof body !== "object" || body === null) {
    throw unexpected(response);
  }
  return body;
}

/**
 * The events of an answer. The service starts the response with the first event, so a failure before that is a failure
 * of the request and may be retried.
 *
 * @param {Response} response
 * @param {(cause: unknown) => unknown} fail
 * @returns {Promise<AsyncGenerator<ChatEvent, void, void>>}
 */
async function readAnswer(response, fail) {
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
    throw unexpected(response);
  }
  return answerEvents(response, response.body, fail);
}

/**
 * @param {Response} response
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(cause: unknown) => unknown} fail
 * @returns {AsyncGenerator<ChatEvent, void, void>}
 */
async function* answerEvents({ status, headers }, stream, fail) {
  try {
    for await (const { event, data } of readEvents(stream)) {
      const body = JSON.parse(data);
      if (event === "delta") {
        yield { event, ...body };
      } else if (event === "part") {
        const { part: number, ...part } = body;
        yield { event, number, part: { ...part, text: "" } };
      } else if (event === "safety") {
        yield { event, safety: body };
      } else if (event === "handoff") {
        yield { event, handoff: body };
      } else if (event === "done") {
        yield { event, response: body };
        return;
      } else if (event === "error") {
        throw new ApiError(body.error, { status, body, headers });
      }
    }
    throw new Error("the stream ended before the answer did");
  } catch (cause) {
    throw fail(cause);
  }
}

/** @param {Response} response */
function unexpected({ status, headers }) {
  return new ApiError("The response is not one of this service", { status, headers });
}

export { ApiError };
