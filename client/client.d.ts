// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import { ApiError } from "./api-error.js";
export type CallOptions = import("./request.js").CallOptions;
export type ChatRequest = import("./schemas.d.ts").ChatRequest;
export type ChatResponse = import("./schemas.d.ts").ChatResponse;
export type Safety = import("./schemas.d.ts").Safety;
export type Message = import("./schemas.d.ts").Message;
export type PatientData = import("./schemas.d.ts").PatientData;
export type CreateThreadRequest = import("./schemas.d.ts").CreateThreadRequest;
export type CreateThreadResponse = import("./schemas.d.ts").CreateThreadResponse;
export type GetThreadResponse = import("./schemas.d.ts").GetThreadResponse;
export type Thread = import("./schemas.d.ts").Thread;
export type DeleteThreadResponse = import("./schemas.d.ts").DeleteThreadResponse;
export type CreatePatientRequest = import("./schemas.d.ts").CreatePatientRequest;
export type CreatePatientResponse = import("./schemas.d.ts").CreatePatientResponse;
export type CreatedPatient = import("./schemas.d.ts").CreatedPatient;
export type GetPatientResponse = import("./schemas.d.ts").GetPatientResponse;
export type Patient = import("./schemas.d.ts").Patient;
export type PatientSummary = import("./schemas.d.ts").PatientSummary;
export type ThreadDetails = import("./schemas.d.ts").ThreadDetails;
export type ListMessagesResponse = import("./schemas.d.ts").ListMessagesResponse;
export type ThreadMessage = import("./schemas.d.ts").ThreadMessage;
export type UpdatePatientRequest = import("./schemas.d.ts").UpdatePatientRequest;
export type UpdatePatientResponse = import("./schemas.d.ts").UpdatePatientResponse;
export type SearchPatientsRequest = import("./schemas.d.ts").SearchPatientsRequest;
export type SearchPatientsResponse = import("./schemas.d.ts").SearchPatientsResponse;
export type ListPatientThreadsResponse = import("./schemas.d.ts").ListPatientThreadsResponse;
export type ExportPatientResponse = import("./schemas.d.ts").ExportPatientResponse;
export type DeletePatientResponse = import("./schemas.d.ts").DeletePatientResponse;
export type CreateWebhookRequest = import("./schemas.d.ts").CreateWebhookRequest;
export type CreateWebhookResponse = import("./schemas.d.ts").CreateWebhookResponse;
export type ListWebhooksResponse = import("./schemas.d.ts").ListWebhooksResponse;
export type DeleteWebhookResponse = import("./schemas.d.ts").DeleteWebhookResponse;
export type RotateWebhookResponse = import("./schemas.d.ts").RotateWebhookResponse;
export type TestWebhookResponse = import("./schemas.d.ts").TestWebhookResponse;
export type ListEventsResponse = import("./schemas.d.ts").ListEventsResponse;
export type OpenApiDocument = import("./schemas.d.ts").OpenApiDocument;
export type ClientOptions = {
  /**
   * the service's base address, such as https://…/v1
   */
  baseUrl: string;
  /**
   * sent in the X-API-Key header and nowhere else
   */
  apiKey: string;
  /**
   * how long each attempt may take; 30 seconds by default
   */
  timeoutMilliseconds?: number;
  /**
   * the maximum number of retries per call; 2 by default
   */
  retries?: number;
  /**
   * sends each attempt; the platform's own `fetch` by default
   */
  fetch?: typeof globalThis.fetch;
};
export type ChatOptions = CallOptions & {
  idempotencyKey?: string;
};
export type CreateOptions = CallOptions & {
  idempotencyKey?: string;
};
export type PageOptions = CallOptions & {
  limit?: number;
  before?: string;
};
export type ConditionOptions = CallOptions & {
  ifMatch?: string;
};
export type ChatEvent =
  | {
      event: "delta";
      text: string;
    }
  | {
      event: "safety";
      safety: Safety;
    }
  | {
      event: "done";
      response: ChatResponse;
    };
/**
 * The service's endpoints as methods. Each returns the body of a successful response. Otherwise, it throws an
 * {@link ApiError}, unless the caller's own `signal` aborted the call: then it throws the signal's reason, which is what was
 * passed to `abort()`, or without that a `DOMException` named `AbortError` (`TimeoutError` from `AbortSignal.timeout`).
 * Transient failures are retried; each method documents the effect of a retry.
 */
export declare class HealthAssistantClient {
  /**
   * @param {ClientOptions} options
   * @throws {TypeError} when the base URL or the key is invalid
   */
  constructor({ baseUrl, apiKey, timeoutMilliseconds, retries, fetch }: ClientOptions);
  /**
   * Sends a message to the assistant. All attempts have the same `Idempotency-Key`, so on a thread the model is called
   * once and one turn is stored. Without a thread, nothing is stored.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {Promise<ChatResponse>}
   */
  chat(request: ChatRequest, options?: ChatOptions): Promise<ChatResponse>;
  /**
   * Sends a message to the assistant and yields the answer as it arrives: `delta` for each piece, and `done` with the
   * body of {@link chat} when the turn is stored; with `include: ["safety"]`, also `safety`. The request is sent when
   * the first event is read; leaving the loop closes the connection.
   *
   * Retried like `chat`, but only until the first event. After that, call it again with the same `idempotencyKey`: a
   * turn on a thread is stored even if the stream is not read to its end, and the repeated call returns it.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {AsyncGenerator<ChatEvent, void, void>}
   */
  streamChat(request: ChatRequest, options?: ChatOptions): AsyncGenerator<ChatEvent, void, void>;
  /**
   * Creates a thread. All attempts have the same `Idempotency-Key`, so a retry after a lost response does not create
   * another.
   *
   * @param {CreateThreadRequest} [request]
   * @param {CreateOptions} [options]
   * @returns {Promise<CreateThreadResponse>}
   */
  createThread(request?: CreateThreadRequest, options?: CreateOptions): Promise<CreateThreadResponse>;
  /**
   * @param {string} threadId
   * @param {CallOptions & { include?: "metadata" }} [options] `include` also returns the thread's metadata
   * @returns {Promise<GetThreadResponse>}
   */
  getThread(
    threadId: string,
    options?: CallOptions & {
      include?: "metadata";
    },
  ): Promise<GetThreadResponse>;
  /**
   * Lists the messages of a thread, newest first. For the next page, pass `next` as `before`.
   *
   * @param {string} threadId
   * @param {PageOptions} [options]
   * @returns {Promise<ListMessagesResponse>}
   */
  listMessages(threadId: string, options?: PageOptions): Promise<ListMessagesResponse>;
  /**
   * Permanently deletes a thread. If the response is lost, the call is retried; a retry that finds no thread is a success,
   * because an earlier attempt deleted it.
   *
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<DeleteThreadResponse>}
   */
  deleteThread(threadId: string, options?: CallOptions): Promise<DeleteThreadResponse>;
  /**
   * Creates a patient. All attempts have the same `Idempotency-Key`, so a retry after a lost response does not create
   * another.
   *
   * @param {CreatePatientRequest} request
   * @param {CreateOptions} [options]
   * @returns {Promise<CreatePatientResponse>}
   */
  createPatient(request: CreatePatientRequest, options?: CreateOptions): Promise<CreatePatientResponse>;
  /**
   * @param {string} patientId
   * @param {CallOptions} [options]
   * @returns {Promise<GetPatientResponse>}
   */
  getPatient(patientId: string, options?: CallOptions): Promise<GetPatientResponse>;
  /**
   * Updates a patient's record with a JSON merge patch: null removes a field. If the response is lost, the call is
   * retried, except with `ifMatch`: the record may then have changed because of the first attempt.
   *
   * @param {string} patientId
   * @param {UpdatePatientRequest} patch
   * @param {ConditionOptions} [options]
   * @returns {Promise<UpdatePatientResponse>}
   */
  updatePatient(
    patientId: string,
    patch: UpdatePatientRequest,
    options?: ConditionOptions,
  ): Promise<UpdatePatientResponse>;
  /**
   * Erases a patient: the record and all threads about the patient. If the response is lost, the call is retried; a
   * retry that finds no patient is a success, because an earlier attempt erased it. In this case, the result has no
   * `erased`, because what the earlier attempt deleted is unknown.
   *
   * @param {string} patientId
   * @param {ConditionOptions} [options]
   * @returns {Promise<Omit<DeletePatientResponse, "erased"> & Partial<Pick<DeletePatientResponse, "erased">>>}
   */
  deletePatient(
    patientId: string,
    options?: ConditionOptions,
  ): Promise<Omit<DeletePatientResponse, "erased"> & Partial<Pick<DeletePatientResponse, "erased">>>;
  /**
   * Finds the patient with a phone number. Creates nothing.
   *
   * @param {SearchPatientsRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<SearchPatientsResponse>}
   */
  searchPatients(request: SearchPatientsRequest, options?: CallOptions): Promise<SearchPatientsResponse>;
  /**
   * Lists the active threads about a patient, newest first. For the next page, pass `next` as `before`.
   *
   * @param {string} patientId
   * @param {PageOptions} [options]
   * @returns {Promise<ListPatientThreadsResponse>}
   */
  listPatientThreads(patientId: string, options?: PageOptions): Promise<ListPatientThreadsResponse>;
  /**
   * Returns everything stored about a patient.
   *
   * @param {string} patientId
   * @param {CallOptions} [options]
   * @returns {Promise<ExportPatientResponse>}
   */
  exportPatient(patientId: string, options?: CallOptions): Promise<ExportPatientResponse>;
  /**
   * Creates a webhook. Not retried: the secret would be lost with the first response, so look for the webhook in
   * {@link listWebhooks}, and delete it, before you repeat the call.
   *
   * @param {CreateWebhookRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<CreateWebhookResponse>}
   */
  createWebhook(request: CreateWebhookRequest, options?: CallOptions): Promise<CreateWebhookResponse>;
  /**
   * Lists the webhooks, oldest first.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<ListWebhooksResponse>}
   */
  listWebhooks(options?: CallOptions): Promise<ListWebhooksResponse>;
  /**
   * Deletes a webhook. If the response is lost, the call is retried; a retry that finds no webhook is a success, because an
   * earlier attempt deleted it.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<DeleteWebhookResponse>}
   */
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<DeleteWebhookResponse>;
  /**
   * Replaces a webhook's secret. Not retried: a second rotation would end the secret that receivers still use.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<RotateWebhookResponse>}
   */
  rotateWebhook(webhookId: string, options?: CallOptions): Promise<RotateWebhookResponse>;
  /**
   * Sends a test message to a webhook, and returns what came of it. If the response is lost, another message is sent.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<TestWebhookResponse>}
   */
  testWebhook(webhookId: string, options?: CallOptions): Promise<TestWebhookResponse>;
  /**
   * Lists the events of the last seven days, oldest first. To continue, now or later, pass `next` as `after`.
   *
   * @param {CallOptions & { limit?: number, after?: string }} [options]
   * @returns {Promise<ListEventsResponse>}
   */
  listEvents(
    options?: CallOptions & {
      limit?: number;
      after?: string;
    },
  ): Promise<ListEventsResponse>;
  /**
   * Returns the OpenAPI document, from which this client's types are generated.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<OpenApiDocument>}
   */
  openapi(options?: CallOptions): Promise<OpenApiDocument>;
}
export { ApiError };
