/** Every way in which a model fails, by name: the `kind` in logs and metrics. */
export type ModelErrorKind =
  | "authentication"
  | "rate-limit"
  | "quota"
  | "context-too-long"
  | "content-filter"
  | "refusal"
  | "empty"
  | "truncated"
  | "malformed"
  | "timeout"
  | "connection"
  | "server"
  | "rejected";

/** What another try on the same model may mend. */
const RETRYABLE = new Set<ModelErrorKind>(["rate-limit", "empty", "malformed", "timeout", "connection", "server"]);

/**
 * A model did not give an answer that can be given to a patient. The message is the kind: it never quotes what the
 * provider said, which may quote the conversation.
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** The provider's id of the request, for a question to its support. */
  readonly requestID: string | undefined;
  /** Milliseconds the provider asked to wait before another try (`Retry-After`). */
  readonly retryAfter: number | undefined;

  constructor(
    kind: ModelErrorKind,
    { requestID, retryAfter }: { requestID?: string | undefined; retryAfter?: number | undefined } = {},
  ) {
    super(kind);
    this.kind = kind;
    this.requestID = requestID;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed a moment later. */
  get retryable(): boolean {
    return RETRYABLE.has(this.kind);
  }
}

/**
 * Names a provider's refusal by its status and code. Servers of the protocol differ in codes, so a request that is too
 * long is known by its wording as well.
 *
 * @param code the provider's `error.code` or `error.type`
 * @param message the provider's message; only searched, never kept
 */
export function kindOfRefusal(status: number, code: string, message: string): ModelErrorKind {
  if (status === 401 || status === 403) {
    return "authentication";
  }
  if (status === 429) {
    return /insufficient_quota|billing/.test(code) ? "quota" : "rate-limit";
  }
  if (status === 402) {
    return "quota";
  }
  if (status === 413 || /context_length/.test(code) || /context (length|window|size)|too many tokens/i.test(message)) {
    return "context-too-long";
  }
  if (/content_filter|content_policy/.test(code)) {
    return "content-filter";
  }
  if (status === 408) {
    return "timeout";
  }
  return status >= 500 ? "server" : "rejected";
}

/**
 * Reads a `Retry-After` header: seconds, or a date in the one form that is sent (RFC 9110, sections 10.2.3 and 5.6.7).
 *
 * @returns milliseconds from now, or undefined
 */
export function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(header ?? "")) {
    return Number(header) * 1000;
  }
  const date = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.exec(header ?? "")?.[0];
  const wait = date === undefined ? Number.NaN : Date.parse(date) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
