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
  // What OpenAI's SDK for JavaScript sends in a browser (openai 7.55, `client.mjs` and `internal/detect-platform.mjs`).
  "user-agent",
  "openai-organization",
  "openai-project",
  "x-stainless-arch",
  "x-stainless-helper-method",
  "x-stainless-lang",
  "x-stainless-os",
  "x-stainless-package-version",
  "x-stainless-retry-count",
  "x-stainless-runtime",
  "x-stainless-runtime-version",
  "x-stainless-timeout",
];

/** Response headers that a page of another origin may read, in addition to those that are always readable. */
export const CORS_EXPOSED_HEADERS = [
  "x-request-id",
  "x-error-code",
  "x-help-lines",
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
