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
 * The service's endpoints as methods. Each returns the body of a successful response, and otherwise throws an
 * {@link ApiError}, or the reason of the caller's own signal if that aborted the call. Transient failures are retried; each
 * method says what a retry can do.
 */
export declare class HealthAssistantClient {
  /**
   * @param {ClientOptions} options
   * @throws {TypeError} when the base URL or the key is invalid
   */
  constructor({ baseUrl, apiKey, timeoutMilliseconds, retries, fetch }: ClientOptions);
  /**
   * Asks the assistant. All attempts have the same `Idempotency-Key`, so that on a thread the model is asked once and one
   * turn is stored. Without a thread, nothing is stored.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {Promise<ChatResponse>}
   */
  chat(request: ChatRequest, options?: ChatOptions): Promise<ChatResponse>;
  /**
   * Asks the assistant, and yields the answer as it arrives: `delta` for each piece, and `done` with the body of
   * {@link chat} when the turn is stored; with `include: ["safety"]` also `safety`. The request is sent when the first event
   * is read; leaving the loop closes the connection.
   *
   * Retried as `chat` is, but only until the first event. After that, call it again with the same `idempotencyKey`: a turn
   * on a thread is stored even if the stream is not read to its end, and the repeated call returns it.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {AsyncGenerator<ChatEvent, void, void>}
   */
  streamChat(request: ChatRequest, options?: ChatOptions): AsyncGenerator<ChatEvent, void, void>;
  /**
   * Opens a thread. Retried only after a 429: after any other failure a thread may have been created, which expires by
   * itself. It is safe to call this again.
   *
   * @param {CreateThreadRequest} [request]
   * @param {CallOptions} [options]
   * @returns {Promise<CreateThreadResponse>}
   */
  createThread(request?: CreateThreadRequest, options?: CallOptions): Promise<CreateThreadResponse>;
  /**
   * @param {string} threadId
   * @param {CallOptions} [options]
   * @returns {Promise<GetThreadResponse>}
   */
  getThread(threadId: string, options?: CallOptions): Promise<GetThreadResponse>;
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
   * Creates a patient. Retried only after a 429. If the response is lost and the patient has a phone number, it is safe to
   * call this again: there is one patient per number, and the 409's `patient` is the one that the first call created.
   * Without a phone number, a second call can create a second patient.
   *
   * @param {CreatePatientRequest} request
   * @param {CallOptions} [options]
   * @returns {Promise<CreatePatientResponse>}
   */
  createPatient(request: CreatePatientRequest, options?: CallOptions): Promise<CreatePatientResponse>;
  /**
   * @param {string} patientId
   * @param {CallOptions} [options]
   * @returns {Promise<GetPatientResponse>}
   */
  getPatient(patientId: string, options?: CallOptions): Promise<GetPatientResponse>;
  /**
   * The OpenAPI document, from which this client's types are generated.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<OpenApiDocument>}
   */
  openapi(options?: CallOptions): Promise<OpenApiDocument>;
}
export { ApiError };
