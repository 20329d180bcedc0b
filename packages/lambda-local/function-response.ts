import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

/** The response of a function of a Lambda proxy integration. */
export interface FunctionResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: AsyncIterable<Buffer | string>;
}

/** Between a streamed response's metadata and its body (AWS, "Lambda proxy integration response streaming"). */
const DELIMITER = Buffer.alloc(8);

/** The trailer of a stream whose function has failed (AWS Lambda, "Building a custom runtime"). */
const FAILED = "lambda-runtime-function-error-type";

/**
 * Reads a function's response, buffered or streamed.
 *
 * @param streams whether the integration expects a stream; a function that responds otherwise is misconfigured
 * @returns undefined if the response does not have the format that the integration requires
 */
export async function readFunctionResponse(
  message: IncomingMessage,
  streams: boolean,
): Promise<FunctionResponse | undefined> {
  const streamed = message.headers["lambda-runtime-function-response-mode"] === "streaming";
  if (streamed !== streams) {
    message.resume();
    return undefined;
  }
  return streamed ? readStreamed(message) : readBuffered(message);
}

async function readBuffered(message: IncomingMessage): Promise<FunctionResponse | undefined> {
  const result = (await json(message)) as {
    statusCode?: unknown;
    headers?: Record<string, string>;
    body?: string;
  } | null;
  if (typeof result?.statusCode !== "number") {
    return undefined;
  }
  const body = (async function* () {
    yield result.body ?? "";
  })();
  return { statusCode: result.statusCode, headers: result.headers ?? {}, body };
}

async function readStreamed(message: IncomingMessage): Promise<FunctionResponse | undefined> {
  const chunks: AsyncIterator<Buffer> = message[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let end = -1;
  while (end < 0) {
    const { value, done } = await chunks.next();
    if (done) {
      return undefined;
    }
    head = Buffer.concat([head, value]);
    end = head.indexOf(DELIMITER);
  }
  const { statusCode, headers = {} } = JSON.parse(head.subarray(0, end).toString());
  const first = head.subarray(end + DELIMITER.length);
  const body = (async function* () {
    yield first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      yield next.value;
    }
    if (message.trailers[FAILED] !== undefined) {
      throw new Error("the function failed in the middle of its response");
    }
  })();
  return { statusCode, headers, body };
}
