import http from "node:http";
import https from "node:https";
import { readRefusal } from "./refusal.ts";

const agents = {
  "http:": listening(new http.Agent({ keepAlive: true })),
  "https:": listening(new https.Agent({ keepAlive: true })),
};

/**
 * Listens for the errors of each of an agent's connections. Between two requests, and while Node returns a connection
 * to the pool, nobody else does, and an error without a listener ends the process (nodejs/node#65938).
 */
function listening<A extends http.Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...parameters: Parameters<typeof connect>) => connect(...parameters)?.on("error", () => {}); // whoever uses the connection hears of it as well
  return agent;
}

/** The parts of a request that the model's client sets. */
interface ModelRequest {
  method?: string;
  headers?: Iterable<[string, string]>;
  body?: string;
  signal?: AbortSignal;
}

/** The parts of a response that it reads. */
export interface ModelResponse {
  status: number;
  ok: boolean;
  headers: Headers;
  body: AsyncIterable<Buffer> | null;
  /** That of an error is in OpenAI's shape, whatever the server sends: the client keeps nothing else. */
  text(): Promise<string>;
  /** Whether the last event of a stream has arrived, `data: [DONE]`. */
  isDone(): boolean;
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
    const { signal } = init;
    if (signal?.aborted) {
      reject(aborted());
      return;
    }
    const secure = url.protocol === "https:";
    const request = (secure ? https : http).request(url, {
      method: init.method ?? "GET",
      headers: { ...Object.fromEntries(init.headers ?? []), "accept-encoding": "identity" },
      agent: secure ? agents["https:"] : agents["http:"],
    });
    let answer: http.IncomingMessage | undefined;
    const abort = () => {
      if (!answer?.complete) {
        (answer ?? request).destroy(aborted());
      }
    };
    signal?.addEventListener("abort", abort);
    request.once("close", () => signal?.removeEventListener("abort", abort));
    request.once("response", (response) => {
      answer = response;
      resolve(toResponse(response));
    });
    limitConnecting(request, secure, connectMilliseconds);
    // Not `once`, because a second error, such as a parser error after the response, would end the process.
    request.on("error", (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && CLOSED_CONNECTION.has(error.code ?? "");
      reject(stale ? new StaleConnection("the connection was closed", { cause: error }) : error);
    });
    request.end(init.body);
  });
}

/**
 * The error of a request that its caller has ended. Node's own `signal` is not used, because it also destroys the
 * connection of a complete response, which may be another request's by then.
 */
function aborted(): Error {
  return Object.assign(new Error("the request was aborted"), { name: "AbortError", code: "ABORT_ERR" });
}

function limitConnecting(request: http.ClientRequest, secure: boolean, milliseconds: number): void {
  request.once("socket", (socket) => {
    if (socket.connecting) {
      let settled = false;
      const giveUp = () => settled || request.destroy(new Error("no connection within the limit"));
      // After a pause of the process, timers run before the connection that has been made in the meantime is noticed.
      const timer = setTimeout(() => setImmediate(giveUp), milliseconds);
      for (const event of [secure ? "secureConnect" : "connect", "close"]) {
        socket.once(event, () => {
          settled = true;
          clearTimeout(timer);
        });
      }
    }
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

/** The end of an event stream, and how many bytes of a stream's end contain it. */
const DONE = /(?:^|\n)data: ?\[DONE\]/;
const TAIL_BYTES = 64;

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
  const ok = status >= 200 && status < 300;
  let tail = "";
  const note = (chunk: Buffer) => {
    tail = (tail + chunk.subarray(-TAIL_BYTES).toString("latin1")).slice(-TAIL_BYTES);
  };
  return {
    status,
    ok,
    headers,
    body: empty ? null : chunksOf(answer, note),
    text: ok ? () => textOf(answer) : async () => JSON.stringify({ error: readRefusal(await textOf(answer)) }),
    isDone: () => DONE.test(tail),
  };
}

/**
 * The longest response: a stream has about 300 bytes for each of the 4,096 tokens that are asked for, and this is three
 * times as much. A provider that never stops must not fill the function's memory.
 */
const LONGEST_BYTES = 4 * 1024 * 1024;

/** The failure of a response that is longer than {@link LONGEST_BYTES}. */
export class ResponseTooLong extends Error {}

const EMPTY = Buffer.alloc(0);

/** The limit for the rest of a body whose reader has stopped. */
const REST_MILLISECONDS = 1_000;

/**
 * The chunks of a body. The reader of an event stream stops after its last event, before the end of the body has
 * arrived. The rest is then read and ignored, so that the connection can be reused.
 */
function chunksOf(answer: http.IncomingMessage, note?: (chunk: Buffer) => void): AsyncIterable<Buffer> {
  return {
    [Symbol.asyncIterator]() {
      const chunks: AsyncIterator<Buffer> = answer.iterator({ destroyOnReturn: false });
      let bytes = 0;
      return {
        async next() {
          const chunk = await chunks.next();
          bytes += chunk.value?.length ?? 0;
          note?.(chunk.value ?? EMPTY);
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
