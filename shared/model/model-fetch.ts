import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";

const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };

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
export function fetchWithin(connectMilliseconds: number): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
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

function send(url: URL, init: RequestInit, connectMilliseconds: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === "https:";
    const request = (secure ? https : http).request(
      url,
      {
        method: init.method ?? "GET",
        headers: { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" },
        agent: secure ? agents["https:"] : agents["http:"],
        ...(init.signal && { signal: init.signal }),
      },
      (answer) => {
        try {
          resolve(toResponse(answer));
        } catch (error) {
          answer.destroy();
          reject(error); // throwing in this callback would end the process
        }
      },
    );
    request.once("socket", (socket) => {
      if (socket.connecting) {
        const giveUp = () => request.destroy(new Error("no connection within the limit"));
        const timer = setTimeout(giveUp, connectMilliseconds);
        socket.once(secure ? "secureConnect" : "connect", () => clearTimeout(timer));
        socket.once("close", () => clearTimeout(timer));
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
 * response does not matter. (After a `HEAD` without a length, Node would not reuse the connection.) Reading the
 * response also loads Node's web streams, which every response needs: 15 ms at full processor speed.
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

/** `Response` accepts only statuses from 200 to 599; any other status is treated as a server failure. */
function toResponse(answer: http.IncomingMessage): Response {
  const { statusCode = 0 } = answer;
  const status = statusCode >= 200 && statusCode <= 599 ? statusCode : 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    headers.set(name, String(value));
  }
  if (WITHOUT_BODY.has(status)) {
    answer.on("error", () => {}).resume(); // read to its end, so that the connection can be reused
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers });
}
