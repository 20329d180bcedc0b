// Generated from the OpenAPI document by "npm run client:types"; do not edit.

export type * from "./schemas.d.ts";

import { ApiError } from "./api-error.js";
import type {
  AddMessageRequest,
  AddMessageResult,
  AnswerPart,
  ChatRequest,
  ChatResult,
  CountFeedbackResult,
  CreatePatientRequest,
  CreatePatientResult,
  CreateThreadRequest,
  CreateThreadResult,
  CreateWebhookRequest,
  CreateWebhookResult,
  DeletePatientResult,
  DeleteSourceResult,
  DeleteThreadResult,
  DeleteWebhookResult,
  ExportPatientResult,
  FeedbackRequest,
  FhirBundle,
  FhirRecord,
  GetHandoffResult,
  GetPatientResult,
  GetProfileResult,
  GetSourceResult,
  GetThreadResult,
  GiveFeedbackResult,
  HoldThreadRequest,
  HoldThreadResult,
  ImportPatientResult,
  ListEventsResult,
  ListMessagesResult,
  ListPatientThreadsResult,
  ListSourcesResult,
  ListWebhooksResult,
  OpenApiDocument,
  Profile,
  PutProfileResult,
  PutSourceRequest,
  PutSourceResult,
  ReplaceClinicalResult,
  ReturnThreadResult,
  RotateWebhookResult,
  Safety,
  SearchPatientsRequest,
  SearchPatientsResult,
  StopTurnResult,
  TestWebhookResult,
  UpdatePatientRequest,
  UpdatePatientResult,
  WithdrawFeedbackResult,
} from "./schemas.d.ts";
export type CallOptions = import("./request.js").CallOptions;
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
export type CreatePatientOptions = CreateOptions & {
  strict?: boolean;
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
      event: "part";
      number: number;
      part: AnswerPart;
    }
  | {
      event: "delta";
      text: string;
      part?: number;
    }
  | {
      event: "safety";
      safety: Safety;
    }
  | {
      event: "handoff";
      handoff: NonNullable<ChatResult["handoff"]>;
    }
  | {
      event: "done";
      response: ChatResult;
    };
/**
 * The service's endpoints as methods. Each returns the body of a successful response. Otherwise, it throws an
 * {@link ApiError}, unless the caller's own `signal` aborted the call: then it throws the signal's reason, which is
 * what was passed to `abort()`, or without that a `DOMException` named `AbortError` (`TimeoutError` from
 * `AbortSignal.timeout`). Transient failures are retried; each method documents the effect of a retry.
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
   * @returns {Promise<ChatResult>}
   */
  chat(request: ChatRequest, options?: ChatOptions): Promise<ChatResult>;
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
  streamChat(request: ChatRequest, options?: ChatOptions): AsyncGenerator<ChatEvent, void, void>;
  /**
   * Creates a thread. All attempts have the same `Idempotency-Key`, so a retry after a lost response does not create
   * another.
   *
   * @param {CreateThreadRequest} [request]
   * @param {CreateOptions} [options]
   * @returns {Promise<CreateThreadResult>}
   */
  createThread(request?: CreateThreadRequest, options?: CreateOptions): Promise<CreateThreadResult>;
  /**
   * @param {string} threadId
   * @param {CallOptions & { include?: "metadata" }} [options] `include` also returns the thread's metadata
   * @returns {Promise<GetThreadResult>}
   */
  getThread(
    threadId: string,
    options?: CallOptions & {
      include?: "metadata";
    },
  ): Promise<GetThreadResult>;
  /**
   * Lists the messages of a thread, newest first. For the next page, pass `next` as `before`.
   *
   * @param {string} threadId
   * @param {PageOptions & { include?: "parts" | "safety" | "parts,safety" }} [options] `include` also returns the parts
   *   of the answers, and what the safety layer found in the messages
   * @returns {Promise<ListMessagesResult>}
   */
  listMessages(
    threadId: string,
    options?: PageOptions & {
      include?: "parts" | "safety" | "parts,safety";
    },
  ): Promise<ListMessagesResult>;
  /**
   * Permanently deletes a thread. If the response is lost, the call is retried; a retry that finds no thread is a
   * success, because an earlier attempt deleted it.
   *
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<DeleteThreadResult>}
   */
  deleteThread(threadId: string, options?: CallOptions): Promise<DeleteThreadResult>;
  /**
   * Stores feedback on an answer, in place of earlier feedback on it.
   *
   * @param {string} threadId
   * @param {string} messageId of an answer, from `listMessages` or from a chat with `include: ["ids"]`
   * @param {FeedbackRequest} feedback
   * @param {CallOptions} [options]
   * @returns {Promise<GiveFeedbackResult>}
   */
  giveFeedback(
    threadId: string,
    messageId: string,
    feedback: FeedbackRequest,
    options?: CallOptions,
  ): Promise<GiveFeedbackResult>;
  /**
   * Withdraws the feedback on an answer. Not an error if there is none.
   *
   * @param {string} threadId
   * @param {string} messageId
   * @param {CallOptions} [options]
   * @returns {Promise<WithdrawFeedbackResult>}
   */
  withdrawFeedback(threadId: string, messageId: string, options?: CallOptions): Promise<WithdrawFeedbackResult>;
  /**
   * Counts feedback by day, rating, model and other fields.
   *
   * @param {CallOptions & { from?: string, to?: string, by?: string }} [options] `from` and `to` are days such as
   *   2026-03-01; `by` names the fields, separated by commas
   * @returns {Promise<CountFeedbackResult>}
   */
  countFeedback(
    options?: CallOptions & {
      from?: string;
      to?: string;
      by?: string;
    },
  ): Promise<CountFeedbackResult>;
  /**
   * Puts a thread into the hands of a person: the assistant no longer answers. A retry changes nothing.
   *
   * @param {string} threadId
   * @param {HoldThreadRequest} [request]
   * @param {CallOptions & { unlessHeld?: boolean }} [options] with `unlessHeld`, the call fails with a 412 if another
   *   person has taken over, instead of replacing that person
   * @returns {Promise<HoldThreadResult>}
   */
  holdThread(
    threadId: string,
    request?: HoldThreadRequest,
    options?: CallOptions & {
      unlessHeld?: boolean;
    },
  ): Promise<HoldThreadResult>;
  /**
   * Returns who has taken over a thread or, if nobody has, the user's open request for a person.
   *
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<GetHandoffResult>}
   */
  getHandoff(threadId: string, options?: CallOptions): Promise<GetHandoffResult>;
  /**
   * Gives a thread back to the assistant. A retry changes nothing.
   *
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<ReturnThreadResult>}
   */
  returnThread(threadId: string, options?: CallOptions): Promise<ReturnThreadResult>;
  /**
   * Stops the answer to a message. The chat itself then responds with what has arrived of it. A retry changes nothing.
   *
   * @param {string} threadId
   * @param {string} idempotencyKey the key that the chat was sent with
   * @param {CallOptions} [options]
   * @returns {Promise<StopTurnResult>}
   */
  stopTurn(threadId: string, idempotencyKey: string, options?: CallOptions): Promise<StopTurnResult>;
  /**
   * Adds a message by the person who has taken over the thread. All attempts have the same `Idempotency-Key`, so a
   * retry after a lost response does not add it again.
   *
   * @param {string} threadId
   * @param {AddMessageRequest} request
   * @param {CreateOptions} [options]
   * @returns {Promise<AddMessageResult>}
   */
  addMessage(threadId: string, request: AddMessageRequest, options?: CreateOptions): Promise<AddMessageResult>;
  /**
   * Creates a patient. All attempts have the same `Idempotency-Key`, so a retry after a lost response does not create
   * another. A field that the service does not know is a 400, unless `strict` is false.
   *
   * @param {CreatePatientRequest} request
   * @param {CreatePatientOptions} [options]
   * @returns {Promise<CreatePatientResult>}
   */
  createPatient(request: CreatePatientRequest, options?: CreatePatientOptions): Promise<CreatePatientResult>;
  /**
   * @param {string} patientId
   * @param {CallOptions & { include?: "clinical" }} [options] `include` also returns the date of birth and imported
   *   entries
   * @returns {Promise<GetPatientResult>}
   */
  getPatient(
    patientId: string,
    options?: CallOptions & {
      include?: "clinical";
    },
  ): Promise<GetPatientResult>;
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
  updatePatient(
    patientId: string,
    patch: UpdatePatientRequest,
    options?: ConditionOptions,
  ): Promise<UpdatePatientResult>;
  /**
   * Erases a patient: the record and all threads about the patient. If the response is lost, the call is retried; a
   * retry that finds no patient is a success, because an earlier attempt erased it. In this case, the result has no
   * `erased`, because what the earlier attempt deleted is unknown.
   *
   * @param {string} patientId
   * @param {ConditionOptions} [options]
   * @returns {Promise<Omit<DeletePatientResult, "erased"> & Partial<Pick<DeletePatientResult, "erased">>>}
   */
  deletePatient(
    patientId: string,
    options?: ConditionOptions,
  ): Promise<Omit<DeletePatientResult, "erased"> & Partial<Pick<DeletePatientResult, "erased">>>;
  /**
   * Finds the patient with a phone number. Creates nothing.
   *
   * @param {SearchPatientsRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<SearchPatientsResult>}
   */
  searchPatients(request: SearchPatientsRequest, options?: CallOptions): Promise<SearchPatientsResult>;
  /**
   * Lists the active threads about a patient, newest first. For the next page, pass `next` as `before`.
   *
   * @param {string} patientId
   * @param {PageOptions} [options]
   * @returns {Promise<ListPatientThreadsResult>}
   */
  listPatientThreads(patientId: string, options?: PageOptions): Promise<ListPatientThreadsResult>;
  /**
   * Returns everything stored about a patient.
   *
   * @param {string} patientId
   * @param {CallOptions} [options]
   * @returns {Promise<ExportPatientResult>}
   */
  exportPatient(patientId: string, options?: CallOptions): Promise<ExportPatientResult>;
  /**
   * Returns what the clinic says about itself, and what applies to its patients.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<GetProfileResult>}
   */
  getProfile(options?: CallOptions): Promise<GetProfileResult>;
  /**
   * Replaces what the clinic says about itself; `{}` removes it.
   *
   * @param {Profile} profile
   * @param {ConditionOptions} [options]
   * @returns {Promise<PutProfileResult>}
   */
  putProfile(profile: Profile, options?: ConditionOptions): Promise<PutProfileResult>;
  /**
   * Stores a source, a text of the clinic from which the assistant may answer, in place of the one with this id. Not
   * retried with `ifMatch`: the source may then have changed because of the first attempt.
   *
   * @param {string} sourceId
   * @param {PutSourceRequest} source
   * @param {ConditionOptions} [options]
   * @returns {Promise<PutSourceResult>}
   */
  putSource(sourceId: string, source: PutSourceRequest, options?: ConditionOptions): Promise<PutSourceResult>;
  /**
   * Lists the sources by their ids, without their texts.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<ListSourcesResult>}
   */
  listSources(options?: CallOptions): Promise<ListSourcesResult>;
  /**
   * Returns a source with its text.
   *
   * @param {string} sourceId
   * @param {CallOptions} [options]
   * @returns {Promise<GetSourceResult>}
   */
  getSource(sourceId: string, options?: CallOptions): Promise<GetSourceResult>;
  /**
   * Deletes a source. If the response is lost, the call is retried; a retry that finds no source is a success.
   *
   * @param {string} sourceId
   * @param {ConditionOptions} [options]
   * @returns {Promise<DeleteSourceResult>}
   */
  deleteSource(sourceId: string, options?: ConditionOptions): Promise<DeleteSourceResult>;
  /**
   * Creates a patient from a Bundle or a Patient of FHIR R4. The response says what was taken over, and what was not.
   *
   * @param {FhirRecord} record
   * @param {CreateOptions} [options]
   * @returns {Promise<ImportPatientResult>}
   */
  importPatient(record: FhirRecord, options?: CreateOptions): Promise<ImportPatientResult>;
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
  replaceClinical(
    patientId: string,
    record: FhirRecord,
    options?: ConditionOptions & {
      types?: readonly string[];
    },
  ): Promise<ReplaceClinicalResult>;
  /**
   * Returns a patient's record as a Bundle of FHIR R4.
   *
   * @param {string} patientId
   * @param {CallOptions} [options]
   * @returns {Promise<FhirBundle>}
   */
  exportFhir(patientId: string, options?: CallOptions): Promise<FhirBundle>;
  /**
   * Creates a webhook. Not retried: the secret would be lost with the first response, so look for the webhook in
   * {@link listWebhooks}, and delete it, before you repeat the call.
   *
   * @param {CreateWebhookRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<CreateWebhookResult>}
   */
  createWebhook(request: CreateWebhookRequest, options?: CallOptions): Promise<CreateWebhookResult>;
  /**
   * Lists the webhooks, oldest first.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<ListWebhooksResult>}
   */
  listWebhooks(options?: CallOptions): Promise<ListWebhooksResult>;
  /**
   * Deletes a webhook. If the response is lost, the call is retried; a retry that finds no webhook is a success,
   * because an earlier attempt deleted it.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<DeleteWebhookResult>}
   */
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<DeleteWebhookResult>;
  /**
   * Replaces a webhook's secret. Not retried: a second rotation would end the secret that receivers still use.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<RotateWebhookResult>}
   */
  rotateWebhook(webhookId: string, options?: CallOptions): Promise<RotateWebhookResult>;
  /**
   * Sends a test message to a webhook, and returns the outcome. If the response is lost, another message is sent.
   *
   * @param {string} webhookId
   * @param {CallOptions} [options]
   * @returns {Promise<TestWebhookResult>}
   */
  testWebhook(webhookId: string, options?: CallOptions): Promise<TestWebhookResult>;
  /**
   * Lists the events of the last seven days, oldest first. To continue, now or later, pass `next` as `after`.
   *
   * @param {CallOptions & { limit?: number, after?: string }} [options]
   * @returns {Promise<ListEventsResult>}
   */
  listEvents(
    options?: CallOptions & {
      limit?: number;
      after?: string;
    },
  ): Promise<ListEventsResult>;
  /**
   * Returns the OpenAPI document, from which this client's types are generated.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<OpenApiDocument>}
   */
  openapi(options?: CallOptions): Promise<OpenApiDocument>;
}
export { ApiError };
