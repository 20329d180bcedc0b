// Made from the OpenAPI document by "npm run client:types"; not to be changed by hand.

export type Connection = {
  /**
   * without a slash at the end
   */
  baseUrl: string;
  apiKey: string;
  fetch: typeof globalThis.fetch;
  retries: number;
  timeoutMilliseconds: number;
};
export type CallOptions = {
  /**
   * ends the call, pauses between tries included; it then rejects with the signal's reason
   */
  signal?: AbortSignal;
  /**
   * how long each try may take, until its answer is read; else the client's
   */
  timeoutMilliseconds?: number;
  /**
   * how often a call that may be repeated is; else the client's
   */
  retries?: number;
  /**
   * receives the headers of the successful response, such as `etag`
   */
  onHeaders?: (headers: Headers) => void;
  /**
   * names the call in the service's logs: up to 128 letters, digits and . _ : -
   */
  requestId?: string;
};
export type Call = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /**
   * whether doing it twice is the same as doing it once. A call that is not is repeated only
   * after a 429, which means that it was not done
   */
  repeatable: boolean;
  /**
   * of this call alone
   */
  retriedStatuses?: number[];
  /**
   * the status of a retry which means that an earlier attempt
   * took effect although its response was lost, and the result to return then
   */
  doneBefore?: {
    status: number;
    result: unknown;
  };
};
/**
 * Sends a call, and sends it again, with the very same headers, while it fails in a way that may pass: no answer, 429,
 * 500, 502, 503, 504. Waits for what `Retry-After` says, or else for a growing, random time between tries.
 *
 * @template T
 * @param {Connection} connection
 * @param {Call} call
 * @param {CallOptions} options
 * @param {(response: Response, fail: (cause: unknown) => unknown) => Promise<T>} read makes the result of a response of
 *   success. `fail` turns what reading it fails with, then or later, into the error to throw
 * @returns {Promise<T>}
 * @throws {ApiError} when the last try failed, or the first in a way that does not pass
 */
export declare function send<T>(
  connection: Connection,
  call: Call,
  options: CallOptions,
  read: (response: Response, fail: (cause: unknown) => unknown) => Promise<T>,
): Promise<T>;
/**
 * The body of a response as JSON.
 *
 * @param {string} text
 * @returns {unknown} undefined when it is none
 */
export declare function parse(text: string): unknown;
