/**
 * Structured logs by Lambda's own JSON format: the runtime turns each object given to `console` into one line with
 * time, level and request id (AWS Lambda Developer Guide, "Configuring advanced logging controls"). No library needed.
 *
 * Nothing a patient or a caller said may pass through here: no body, message, name, phone number, key or query string.
 */
type Fields = Record<string, string | number | boolean | undefined | string[]>;

let requestId: string | undefined;
let annotations: Fields = {};

/** From here on, every line carries this request's id. A Lambda environment serves one request at a time. */
export function startRequest(id: string): void {
  requestId = id;
  annotations = {};
}

/** Adds fields to the line that ends the current request. */
export function annotate(fields: Fields): void {
  annotations = { ...annotations, ...fields };
}

/** What was annotated since {@link startRequest}. */
export function currentAnnotations(): Fields {
  return annotations;
}

export function logInfo(event: string, fields: Fields = {}): void {
  // biome-ignore lint/suspicious/noConsole: this is the one place that writes logs
  console.info({ event, requestId, ...fields });
}

export function logWarning(event: string, fields: Fields = {}): void {
  // biome-ignore lint/suspicious/noConsole: this is the one place that writes logs
  console.warn({ event, requestId, ...fields });
}

export function logError(event: string, fields: Fields = {}): void {
  // biome-ignore lint/suspicious/noConsole: this is the one place that writes logs
  console.error({ event, requestId, ...fields });
}

/**
 * What may be logged of a failure. The messages of foreign errors are left out on purpose: DynamoDB's quote key values
 * (a phone number is one) and a model's may quote the conversation. Name, codes, ids and stack frames identify the
 * failure without them. Our own {@link OperatorError} and {@link ModelError} messages are safe by construction.
 *
 * @returns name, and where known: reason, code, HTTP status, the other side's request id, up to six stack frames
 */
export function describeError(error: unknown): Fields {
  if (!(error instanceof Error)) {
    return { errorName: typeof error };
  }
  const foreign = error as Error & {
    code?: unknown;
    status?: unknown;
    requestID?: unknown;
    $metadata?: { httpStatusCode?: number; requestId?: string };
  };
  return {
    errorName: error.name,
    reason: error.name === "OperatorError" || error.name === "ModelError" ? error.message : undefined,
    code: typeof foreign.code === "string" ? foreign.code : undefined,
    status: typeof foreign.status === "number" ? foreign.status : foreign.$metadata?.httpStatusCode,
    upstreamRequestId: typeof foreign.requestID === "string" ? foreign.requestID : foreign.$metadata?.requestId,
    stack: stackFrames(error),
  };
}

/** The "at …" lines of a stack; the lines above them repeat the message. */
function stackFrames(error: Error): string[] {
  const lines = (error.stack ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => line.startsWith("at ")).slice(0, 6);
}
