interface ModelFailure {
  /** Whether the same request to the same model may succeed a moment later. */
  retryable: boolean;
  /** The level of its log line. */
  logLevel: "error" | "warning";
  /** Who can fix it, for the metric and alarm that count it; `nobody` if it concerns a single conversation. */
  fixedBy: "operator" | "provider" | "nobody";
}

/** Every kind of failure of a model: the `kind` in logs and metrics. */
export const MODEL_FAILURES = {
  authentication: { retryable: false, logLevel: "error", fixedBy: "operator" },
  quota: { retryable: false, logLevel: "error", fixedBy: "operator" },
  rejected: { retryable: false, logLevel: "warning", fixedBy: "operator" },
  "rate-limit": { retryable: true, logLevel: "warning", fixedBy: "provider" },
  timeout: { retryable: true, logLevel: "warning", fixedBy: "provider" },
  connection: { retryable: true, logLevel: "warning", fixedBy: "provider" },
  server: { retryable: true, logLevel: "warning", fixedBy: "provider" },
  empty: { retryable: true, logLevel: "warning", fixedBy: "provider" },
  truncated: { retryable: false, logLevel: "warning", fixedBy: "provider" },
  malformed: { retryable: true, logLevel: "warning", fixedBy: "provider" },
  /** Any error that is not a {@link ModelError}. */
  other: { retryable: false, logLevel: "error", fixedBy: "provider" },
  "context-too-long": { retryable: false, logLevel: "warning", fixedBy: "nobody" },
  "content-filter": { retryable: false, logLevel: "warning", fixedBy: "nobody" },
  refusal: { retryable: false, logLevel: "warning", fixedBy: "nobody" },
  /** No failure: the user no longer wants the answer. It is neither logged nor counted. */
  stopped: { retryable: false, logLevel: "warning", fixedBy: "nobody" },
} as const satisfies Record<string, ModelFailure>;

export type ModelErrorKind = Exclude<keyof typeof MODEL_FAILURES, "other">;

/** The reason with which a signal ends a call whose answer the user no longer wants. */
export const STOPPED = Symbol("stopped");

interface ModelErrorDetails {
  requestID?: string | undefined;
  retryAfter?: number | undefined;
  refused?: readonly string[] | undefined;
  said?: string | undefined;
}

/**
 * Error thrown if a model returns no answer that can be shown to a patient. The message is the kind and never quotes
 * the provider, whose messages may quote the conversation.
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** The provider's ID of the request, for its support. */
  readonly requestID: string | undefined;
  /** Milliseconds that the provider asks to wait before a retry (`Retry-After`). */
  readonly retryAfter: number | undefined;
  /** The parameters that the provider names as the reason. */
  readonly refused: readonly string[];
  /** The beginning of an answer that was interrupted; never logged. */
  readonly said: string;

  constructor(kind: ModelErrorKind, { requestID, retryAfter, refused = [], said = "" }: ModelErrorDetails = {}) {
    super(kind);
    this.kind = kind;
    this.requestID = requestID;
    this.retryAfter = retryAfter;
    this.refused = refused;
    this.said = said;
  }

  /** Whether the same request may succeed a moment later. */
  get retryable(): boolean {
    return MODEL_FAILURES[this.kind].retryable;
  }
}

/**
 * Classifies a provider's error response by its status and code. Compatible servers use different codes, so a request
 * that is too long is also recognized by the wording of the message.
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
  if (
    status === 413 ||
    /context_length/.test(code) ||
    /context (length|window|size)|too many tokens|is too long/i.test(message)
  ) {
    return "context-too-long";
  }
  if (/content_filter|content_policy/.test(code)) {
    return "content-filter";
  }
  if (status === 408) {
    return "timeout";
  }
  if (message.includes("UnsupportedParamsError")) {
    return "rejected"; // LiteLLM, in some versions with status 500
  }
  // 424 is Bedrock's ModelErrorException ("Common errors"): the model failed, not the request.
  return status >= 500 || status === 424 ? "server" : "rejected";
}
