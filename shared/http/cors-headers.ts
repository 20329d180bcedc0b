/** Request headers that a page of another origin may send. */
export const CORS_REQUEST_HEADERS = [
  "x-api-key",
  "authorization",
  "content-type",
  "accept",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "prefer",
  "x-request-id",
];

/** Response headers that a page of another origin may read, in addition to those that are always readable. */
export const CORS_EXPOSED_HEADERS = [
  "x-request-id",
  "x-error-code",
  "retry-after",
  "etag",
  "idempotent-replayed",
  "x-phone-lookup",
  "x-did-you-mean",
  "x-ignored",
  "ai-disclosure",
  "ratelimit",
  "ratelimit-policy",
];
