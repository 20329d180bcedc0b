import { table } from "../table.ts";
/** What a caller is told of an error's code. */
export interface ErrorCode {
  status: number;
  /** What to do, as a sentence. */
  remedy: string;
}

/** Every code that the header `x-error-code` can have: the service's, and the gateway's. */
export const ERROR_CODES = table<ErrorCode>({
  invalid: { status: 400, remedy: "Correct the request; `details` lists the invalid fields, if fields are." },
  "bad-request": { status: 400, remedy: "Correct the path: the gateway cannot read it." },
  unauthorized: { status: 401, remedy: "Send a valid key, in the header `X-API-Key`." },
  forbidden: { status: 403, remedy: "The firewall has blocked the request: send the operator the `x-request-id`." },
  "consent-required": {
    status: 403,
    remedy: "Ask the patient, and record the `consent` with `PATCH /patients/{id}`; or let a person take over.",
  },
  "thread-not-found": { status: 404, remedy: "Open a new thread: this one has expired, was deleted or never existed." },
  "patient-not-found": { status: 404, remedy: "Check the ID; the patient may have been erased." },
  "answer-not-found": { status: 404, remedy: "Use the ID of an answer: that of a message by the assistant." },
  "webhook-not-found": { status: 404, remedy: "Check the ID with `GET /webhooks`." },
  "source-not-found": { status: 404, remedy: "Check the ID with `GET /sources`." },
  "model-not-found": { status: 404, remedy: "Use the model that `GET /openai/v1/models` lists." },
  "chat-completions-only": {
    status: 404,
    remedy: "Use `POST /openai/v1/chat/completions`; the guide has each client.",
  },
  "route-not-found": { status: 404, remedy: "Check the path; it begins with that of the base URL, such as `/v1`." },
  "wrong-base-url": {
    status: 404,
    remedy: "Give OpenAI's clients the base URL that ends in `/openai/v1`; the guide has each client.",
  },
  "method-not-allowed": { status: 405, remedy: "Use one of the methods in the header `Allow`." },
  "phone-number-taken": { status: 409, remedy: "Use the existing patient, whom the body has as `patient`." },
  "idempotency-key-in-use": { status: 409, remedy: "Wait a second and repeat it: the first request is in progress." },
  "thread-not-held": { status: 409, remedy: "Take the thread over first, with `PUT /threads/{id}/handoff`." },
  "turn-stored": { status: 409, remedy: "Show the answer, which the chat and the thread's messages have." },
  "too-many-webhooks": { status: 409, remedy: "Delete a webhook that is not needed." },
  "too-many-sources": { status: 409, remedy: "Delete a source that is not needed." },
  "sources-too-large": { status: 409, remedy: "Shorten a source, or delete one that is not needed." },
  "precondition-failed": { status: 412, remedy: "Read the record again, and repeat the request with its new ETag." },
  "thread-held": {
    status: 412,
    remedy: "Read with `GET` who has it; to take it over all the same, omit `If-None-Match`.",
  },
  "too-large": { status: 413, remedy: "Send less." },
  "export-too-large": { status: 413, remedy: "List the patient's threads, and read the messages of each." },
  "unsupported-media-type": { status: 415, remedy: "Send JSON, with `Content-Type: application/json`." },
  "idempotency-key-reused": { status: 422, remedy: "Use a new key for each new request." },
  "too-many-requests": { status: 429, remedy: "Wait for the seconds in `Retry-After`, then repeat it." },
  "too-many-requests-per-second": {
    status: 429,
    remedy: "Wait for the seconds in `Retry-After`, then repeat it; send requests at a steadier rate.",
  },
  "too-many-requests-from-address": {
    status: 429,
    remedy: "Wait for the seconds in `Retry-After`; ask the operator for more if many users share your address.",
  },
  "too-many-requests-in-all": {
    status: 429,
    remedy: "Wait for the seconds in `Retry-After`; ask the operator for more: all callers together are over a limit.",
  },
  "too-many-concurrent-requests": { status: 429, remedy: "Wait for the seconds in `Retry-After`, then repeat it." },
  "too-many-concurrent-chats": { status: 429, remedy: "Wait for the end of another chat, then repeat it." },
  "too-many-live-threads": { status: 429, remedy: "Delete threads that have ended, or wait until some expire." },
  "daily-tokens-used-up": {
    status: 429,
    remedy: "Wait for the seconds in `Retry-After`, or ask the operator for more.",
  },
  "service-unavailable": {
    status: 503,
    remedy: "Repeat it; if it keeps failing, send the operator the `x-request-id`.",
  },
  "internal-error": { status: 500, remedy: "Repeat it; if it keeps failing, send the operator the `x-request-id`." },
});

/**
 * Returns what to do about an error, for the document.
 *
 * @throws Error for a code that is not listed
 */
export function remedyOf(code: string): string {
  const known = ERROR_CODES[code];
  if (!known) {
    throw new Error(`ERROR_CODES has no code ${code}`);
  }
  return known.remedy;
}
