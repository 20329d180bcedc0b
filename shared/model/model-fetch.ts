import http from "node:http";
import https from "node:https";

const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };

/** The parts of a request that the model's client sets. */
interface ModelRequest {
  method?: string;
  headers?: Iterable<[string, string]>;
  body?: string;
  signal?: AbortSignal;
}

/** The parts of a response that it reads. */
interface ModelResponse {
  status: number;
  ok: boolean;
  headers: Headers;
  body: AsyncIterable<Buffer> | null;
  text(): Promise<string>;
}

/** The error codes of a request over a connection that the other side has closed. */
const CLOSED_CONNECTION = new Set(["ECONNRESET", "EPIPE"]);

/**
 * A `fetch` for the model's client, built on `node:http` because connecting needs a time limit of its own: the built-in
 * `fetch` has one for connecting and waiting together.
 *
 * A request over a reused connection that fails before a response is sent again immediately: the provider closed the
 * connection while the function was frozen, which is no failure of the model.
 *
 * @param connectMilliseconds the limit for a new connection, TLS included
 * @returns rejects with the connection's error, or with an Error once the limit has passed; whatever a server sends, it
 *   never throws outside of the promise
 */
export function fetchWithin(connectMilliseconds: number) {
  return async (input: unknown, init: ModelRequest = {}): Promise<ModelResponse> => {
    const url = new URL(String(input)); // the client passes texts
    for (;;) {
      try {
        return await send(url, init, connectMilliseconds);
      } catch (error) {
        if (!(error instanceof StaleConnection)) {
          throw error;
        }
      }
    }
  };
}

/** A reused connection was closed before the response. Each attempt uses one up, so there are few in a row. */
class StaleConnection extends Error {
  override readonly name = "StaleConnection";
}

function send(url: URL, init: ModelRequest, connectMilliseconds: number): Promise<ModelResponse> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === "https:";
    const request = (secure ? https : http).request(
      url,
      {
        method: init.method ?? "GET",
        headers: { ...Object.fromEntries(init.headers ?? []), "accept-encoding": "identity" },
        agent: secure ? agents["https:"] : agents["http:"],
        ...(init.signal && { signal: init.signal }),
      },
      (answer) => resolve(toResponse(answer)),
    );
    request.once("socket", (socket) => {
      if (socket.connecting) {
        let settled = false;
        const giveUp = () => settled || request.destroy(new Error("no connection within the limit"));
        // After a pause of the process, timers run before the connection that has been made in the meantime is noticed.
        const timer = setTimeout(() => setImmediate(giveUp), connectMilliseconds);
        for (const event of [secure ? "secureConnect" : "connect", "close"]) {
          socket.once(event, () => {
            settled = true;
            clearTimeout(timer);
          });
        }
      }
    });
    // Not `once`, because a second error, such as a parser error after the response, would end the process.
    request.on("error", (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && CLOSED_CONNECTION.has(error.code ?? "");
      reject(stale ? new StaleConnection("the connection was closed", { cause: error }) : error);
    });
    request.end(init.body);
  });
}

/** The limit for a preconnect, including the response, because the first request waits for it. */
const AHEAD_MILLISECONDS = 1_000;

/**
 * Opens the connection that the first request to a model will use, with a `GET` of the base URL without a key. The
 * response does not matter. (After a `HEAD` without a length, Node would not reuse the connection.)
 *
 * @param baseUrl OpenAI's by default
 * @throws the connection's error; an AbortError after a second
 */
export async function preconnect(baseUrl = "https://api.openai.com/v1"): Promise<void> {
  const response = await fetchWithin(AHEAD_MILLISECONDS)(baseUrl, { signal: AbortSignal.timeout(AHEAD_MILLISECONDS) });
  await response.text();
}

/** The statuses whose responses have no body (Fetch Standard, "null body status"). */
const WITHOUT_BODY = new Set([204, 205, 304]);

function toResponse(answer: http.IncomingMessage): ModelResponse {
  const { statusCode: status = 0 } = answer;
  answer.on("error", () => {}); // it also reaches the reader; without one, it would end the process
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    headers.set(name, String(value));
  }
  const empty = WITHOUT_BODY.has(status);
  if (empty) {
    answer.resume(); // read to its end, so that the connection can be reused
  }
  return {
    status,
    ok: status >= 200 && status < 300,
    headers,
    body: empty ? null : chunksOf(answer),
    text: () => textOf(answer),
  };
}

/**
 * The longest response: a stream has about 300 bytes for each of the 4,096 tokens that are asked for, and this is three
 * times as much. A provider that never stops must not fill the function's memory.
 */
const LONGEST_BYTES = 4 * 1024 * 1024;

/** The failure of a response that is longer than {@link LONGEST_BYTES}. */
export class ResponseTooLong extends Error {}

/** The limit for the rest of a body whose reader has stopped. */
const REST_MILLISECONDS = 1_000;

/**
 * The chunks of a body. The reader of an event stream stops after its last event, before the end of the body has
 * arrived. The rest is then read and ignored, so that the connection can be reused.
 */
function chunksOf(answer: http.IncomingMessage): AsyncIterable<Buffer> {
  return {
    [Symbol.asyncIterator]() {
      const chunks: AsyncIterator<Buffer> = answer.iterator({ destroyOnReturn: false });
      let bytes = 0;
      return {
        async next() {
          const chunk = await chunks.next();
          bytes += chunk.value?.length ?? 0;
          if (bytes > LONGEST_BYTES) {
            answer.destroy();
            throw new ResponseTooLong();
          }
          return chunk;
        },
        async return() {
          await chunks.return?.();
          const timer = setTimeout(() => answer.destroy(), REST_MILLISECONDS).unref();
          answer.once("close", () => clearTimeout(timer));
          setImmediate(() => answer.resume()); // ignored while the iterator still listens
          return { done: true, value: undefined };
        },
      };
    },
  };
}

async function textOf(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(answer)) {
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
