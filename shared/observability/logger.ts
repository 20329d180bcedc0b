import { currentRequest } from "../request/request-context.ts";

/**
 * Structured logs in Lambda's own JSON format: the runtime turns each object passed to `console` into one line with
 * time, level and its own request ID (AWS Lambda Developer Guide, "Configuring advanced logging controls"). No library
 * needed.
 *
 * Nothing from a patient or a caller may be logged: no body, message, name, phone number, key or query string.
 */
type Fields = Record<string, string | number | boolean | undefined | string[]>;

export function logInfo(event: string, fields: Fields = {}): void {
  // biome-ignore lint/suspicious/noConsole: this is the only place that writes logs
  console.info(line(event, fields));
}

export function logWarning(event: string, fields: Fields = {}): void {
  // biome-ignore lint/suspicious/noConsole: this is the only place that writes logs
  console.warn(line(event, fields));
}

export function logError(event: string, fields: Fields = {}): void {
  // biome-ignore lint/suspicious/noConsole: this is the only place that writes logs
  console.error(line(event, fields));
}

/**
 * Every line of a request has the value of its header `x-request-id`. The runtime adds `requestId`, which is Lambda's
 * ID of the invocation.
 */
function line(event: string, fields: Fields): Fields {
  return { event, xRequestId: currentRequest()?.id, ...fields };
}

/**
 * Returns the part of an error that may be logged. Messages are omitted on purpose, except those of our own
 * {@link OperatorError} and {@link ModelError}, which are safe by construction: DynamoDB's messages quote key values (a
 * phone number is one), and a model provider's may quote the conversation. Name, code, IDs and stack frames identify
 * the failure without a message. They are logged only in their usual format, because a provider can put any text there.
 *
 * @returns the name and, if known: reason, code, HTTP status, the request ID of the other service, up to six stack
 *   frames
 */
export function describeError(error: unknown): Fields {
  if (!(error instanceof Error)) {
    return { errorName: typeof error };
  }
  const { code, status, requestID, $metadata } = error as Error & {
    code?: unknown;
    status?: unknown;
    requestID?: unknown;
    $metadata?: { httpStatusCode?: unknown; requestId?: unknown };
  };
  return {
    errorName: matching(/^\w{1,60}$/, error.name),
    reason: error.name === "OperatorError" || error.name === "ModelError" ? error.message : undefined,
    code: matching(/^E[A-Z_]{2,30}$/, code), // of the operating system, such as ECONNREFUSED
    status: matchingNumber(status) ?? matchingNumber($metadata?.httpStatusCode),
    upstreamRequestId: matching(REQUEST_ID, requestID) ?? matching(REQUEST_ID, $metadata?.requestId),
    stack: stackFrames(error),
  };
}

const REQUEST_ID = /^[\w-]{1,64}$/;

function matching(pattern: RegExp, value: unknown): string | undefined {
  return typeof value === "string" && pattern.test(value) ? value : undefined;
}

function matchingNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Returns the frames of a stack, which follow the message. A message may contain lines that look like frames. */
function stackFrames({ stack = "", message }: Error): string[] {
  const start = stack.indexOf(message);
  if (start < 0) {
    return [];
  }
  const lines = stack.slice(start + message.length).split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => /^at .*(:\d+:\d+\)?|<anonymous>\)?)$/.test(line))
    .slice(0, 6);
}
