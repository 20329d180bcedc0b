import { ApiError } from "./api-error.js";
import { VERSION } from "./version.js";

/** Browsers send their own `User-Agent`; across origins, another one would require a preflight request. */
const IN_BROWSER = "document" in globalThis || "WorkerGlobalScope" in globalThis;

/** Delays before a retry grow from half a second to eight seconds. A longer `Retry-After` is left to the caller. */
const FIRST_PAUSE_MILLISECONDS = 500;
const LONGEST_PAUSE_MILLISECONDS = 8_000;
const LONGEST_RETRY_AFTER_SECONDS = 30;

/** The error text is fixed and does not say where the key belongs. */
const UNAUTHORIZED = 401;
const KEY_HEADER = "The key is sent in the header X-API-Key";

/** The gateway rejected the request, so it had no effect. */
const THROTTLED = 429;
/** Transient failures, after which the request may have taken effect. */
const MAY_PASS = [500, 502, 503, 504];

/**
 * @typedef {object} Connection
 * @property {string} baseUrl without a slash at the end
 * @property {string} apiKey
 * @property {typeof globalThis.fetch} fetch
 * @property {number} retries
 * @property {number} timeoutMilliseconds
 */

/**
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal] aborts the call, including delays between attempts; the call rejects with the
 *   signal's reason
 * @property {number} [timeoutMilliseconds] how long each attempt may take, including reading the response; the
 *   client's by default
 * @property {number} [retries] the maximum number of retries; the client's by default
 * @property {(headers: Headers) => void} [onHeaders] receives the headers of the successful response, such as `etag`
 * @property {string} [requestId] identifies the call in the service's logs: up to 128 letters, digits and . _ : -
 */

/**
 * @typedef {object} Call
 * @property {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @property {string} path
 * @property {unknown} [body]
 * @property {Record<string, string>} [headers]
 * @property {boolean} repeatable whether the call is idempotent. One that is not is retried only after a 429, which
 *   means that it had no effect
 * @property {number[]} [retriedStatuses] further statuses after which this call is retried
 * @property {{ status: number, result: unknown }} [doneBefore] the status of a retry that means that an earlier attempt
 *   took effect although its response was lost, and the result to return then
 */

/** Returns a body's JSON. Unescaped, the service takes U+FFFD for what was left of bytes that are not UTF-8. */
function toJson(/** @type {unknown} */ body) {
  return JSON.stringify(body).replaceAll("\ufffd", "\\ufffd");
}

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
export async function send(connection, call, options, read) {
  const { retries = connection.retries, signal } = options;
  let mayHaveTakenEffect = false;
  for (let tries = 0; ; tries++) {
    const { result, error } = await tryOnce(connection, call, options, read);
    if (!error) {
      return /** @type {T} */ (result);
    }
    if (mayHaveTakenEffect && error.status === call.doneBefore?.status) {
      return /** @type {T} */ (call.doneBefore.result);
    }
    mayHaveTakenEffect ||= error.status !== THROTTLED;
    if (tries >= retries || !mayBeRepeated(call, error) || (error.retryAfter ?? 0) > LONGEST_RETRY_AFTER_SECONDS) {
      throw error;
    }
    await pause(pauseAfter(error, tries), signal);
  }
}

/**
 * @template T
 * @param {Connection} connection
 * @param {Call} call
 * @param {CallOptions} options
 * @param {(response: Response, fail: (cause: unknown) => unknown) => Promise<T>} read
 * @returns {Promise<{ result?: T, error?: ApiError }>}
 * @throws the reason of the caller's signal, and errors of the call itself, such as an invalid header
 */
async function tryOnce(connection, call, options, read) {
  const { baseUrl, apiKey, fetch } = connection;
  const { timeoutMilliseconds = connection.timeoutMilliseconds, requestId } = options;
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const request = {
    method: call.method,
    // Outside of `try`: an invalid header is the caller's mistake, not a network failure.
    headers: new Headers({
      accept: "application/json",
      ...(!IN_BROWSER && { "user-agent": `health-assistant-client/${VERSION}` }),
      "x-api-key": apiKey,
      ...(call.body !== undefined && { "content-type": "application/json" }),
      ...(requestId !== undefined && { "x-request-id": requestId }),
      ...call.headers,
    }),
    ...(call.body !== undefined && { body: toJson(call.body) }),
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    // The service never redirects, and the key must not follow to another host.
    redirect: /** @type {const} */ ("error"),
    credentials: /** @type {const} */ ("omit"),
    cache: /** @type {const} */ ("no-store"),
    referrerPolicy: /** @type {const} */ ("no-referrer"),
  };
  /** @type {Response | undefined} */
  let response;
  const about = () => ({ headers: response?.headers, requestId });
  /** @param {unknown} cause */
  const fail = (cause) => {
    if (cause instanceof ApiError || options.signal?.aborted) {
      return cause;
    }
    const message = timeout.aborted
      ? `No answer within ${timeoutMilliseconds} ms`
      : response
        ? "The connection was lost before the answer was complete"
        : "The service cannot be reached";
    return new ApiError(message, { ...about(), cause });
  };
  try {
    response = await fetch(`${baseUrl}${call.path}`, request);
    if (response.ok) {
      options.onHeaders?.(response.headers);
      return { result: await read(response, fail) };
    }
    const { status } = response;
    const body = parse(await response.text());
    const text = textOf(body) ?? `The service answered with status ${status}`;
    const error = new ApiError(status === UNAUTHORIZED ? `${text}. ${KEY_HEADER}` : text, {
      ...about(),
      status,
      body,
    });
    return { error };
  } catch (cause) {
    const error = fail(cause);
    if (error instanceof ApiError) {
      return { error };
    }
    throw error;
  }
}

/**
 * Whether a failure is transient and the call may be retried.
 *
 * @param {Call} call
 * @param {ApiError} error
 */
function mayBeRepeated({ repeatable, retriedStatuses = [] }, { status }) {
  return status === THROTTLED || (repeatable && [0, ...MAY_PASS, ...retriedStatuses].includes(status));
}

/**
 * The body of a response as JSON.
 *
 * @param {string} text
 * @returns {unknown} undefined when it is not valid JSON
 */
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} body */
function textOf(body) {
  const { error } = /** @type {{ error?: unknown }} */ (body ?? {});
  return typeof error === "string" ? error : undefined;
}

/**
 * Calls that were rejected together must not come back together, so a pause in `Retry-After` is made longer at random.
 *
 * @param {ApiError} error
 * @param {number} tries
 */
function pauseAfter({ retryAfter }, tries) {
  if (retryAfter === 0) {
    return 0;
  }
  return (retryAfter ?? 0) * 1000 + growingPause(tries);
}

/**
 * Doubles each time, with jitter, so that callers that failed together do not retry together.
 *
 * @param {number} tries
 */
function growingPause(tries) {
  return Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** tries, LONGEST_PAUSE_MILLISECONDS) * (0.5 + Math.random() / 2);
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}
