// Made from the OpenAPI document by "npm run client:types"; not to be changed by hand.

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
   * sent in the header X-API-Key, and nowhere else
   */
  apiKey: string;
  /**
   * how long each try of a call may take; 30 seconds if not given
   */
  timeoutMilliseconds?: number;
  /**
   * how often a failed call is repeated at most; 2 if not given
   */
  retries?: number;
  /**
   * sends each try; the platform's own if not given
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
 * The service's endpoints as methods. Each returns the body of success, and throws an {@link ApiError} otherwise, or the
 * reason of the caller's own signal. What may pass is tried again: see each method for what a repetition can do.
 */
export declare class HealthAssistantClient {
  /**
   * @param {ClientOptions} options
   * @throws {TypeError} when the address or the key cannot be one
   */
  constructor({ baseUrl, apiKey, timeoutMilliseconds, retries, fetch }: ClientOptions);
  /**
   * Asks the assistant. Every try carries one `Idempotency-Key`, so that on a thread neither is the model asked nor a
   * turn stored twice; without a thread, nothing is stored.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {Promise<ChatResponse>}
   */
  chat(request: ChatRequest, options?: ChatOptions): Promise<ChatResponse>;
  /**
   * Asks the assistant, and yields the answer as it arrives: `delta` for each piece, `done` with the body of
   * {@link chat} when the turn is stored; with `include: ["safety"]` also `safety`. Nothing is sent until the first event is asked for; leaving the loop cuts the
   * connection.
   *
   * It is tried again as `chat` is, but only until the first word. After that, call it again with the same
   * `idempotencyKey`: a turn on a thread is stored even if nobody reads it to the end, and is then told again.
   *
   * @param {ChatRequest} request
   * @param {ChatOptions} [options]
   * @returns {AsyncGenerator<ChatEvent, void, void>}
   */
  streamChat(request: ChatRequest, options?: ChatOptions): AsyncGenerator<ChatEvent, void, void>;
  /**
   * Opens a thread. It is repeated only after a 429, since a lost answer may have left a thread behind: opening another
   * is left to the caller, who does no harm by it. The one left behind is gone after 30 minutes.
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
   * Creates a patient. It is repeated only after a 429. After a lost answer, a caller who gave a phone number can safely
   * repeat it: there is one patient per number, and `patient` of the error, a 409, then names the one of the first try.
   * Without a phone number, a repetition can create a second patient.
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
   * The OpenAPI document of the interface, from which this client's types are made.
   *
   * @param {CallOptions} [options]
   * @returns {Promise<OpenApiDocument>}
   */
  openapi(options?: CallOptions): Promise<OpenApiDocument>;
}
export { ApiError };
