// Generated from the OpenAPI document by "npm run client:types"; do not edit.

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
   * aborts the call, including delays between attempts; the call rejects with the
   * signal's reason
   */
  signal?: AbortSignal;
  /**
   * how long each attempt may take, including reading the response; the
   * client's by default
   */
  timeoutMilliseconds?: number;
  /**
   * the maximum number of retries; the client's by default
   */
  retries?: number;
  /**
   * receives the headers of the successful response, such as `etag`
   */
  onHeaders?: (headers: Headers) => void;
  /**
   * identifies the call in the service's logs: up to 128 letters, digits and . _ : -
   */
  requestId?: string;
};
export type Call = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /**
   * whether the call is idempotent. One that is not is retried only after a 429, which
   * means that it had no effect
   */
  repeatable: boolean;
  /**
   * further statuses after which this call is retried
   */
  retriedStatuses?: number[];
  /**
   * the status of a retry that means that an earlier attempt
   * took effect although its response was lost, and the result to return then
   */
  doneBefore?: {
    status: number;
    result: unknown;
  };
};
/**
 * Sends a call and retries it, with the same headers, after transient failures: no response, 429, 500, 502, 503, 504.
 * Waits as specified by `Retry-After`, and uses exponential backoff with jitter.
 *
 * @template T
 * @param {Connection} connection
 * @param {Call} call
 * @param {CallOptions} options
 * @param {(response: Response, fail: (cause: unknown) => unknown) => Promise<T>} read reads the result from a
 *   successful response. `fail` turns an error while reading, then or later, into the error to throw
 * @returns {Promise<T>}
 * @throws {ApiError} when the last attempt failed, or one failed permanently
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
 * @returns {unknown} undefined when it is not valid JSON
 */
export declare function parse(text: string): unknown;
