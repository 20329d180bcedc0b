import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";

const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };

/**
 * A `fetch` for the model's client over `node:http`, which lets a connection be given up while an answer may still take
 * its time; the built-in `fetch` has one time limit for both.
 *
 * @param connectMilliseconds the limit for a connection, TLS included; one that is open already is used again
 * @returns rejects with the connection's error, or an Error when the limit has passed
 */
export function fetchWithin(connectMilliseconds: number): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const secure = url.protocol === "https:";
      const request = (secure ? https : http).request(
        url,
        {
          method: init.method ?? "GET",
          headers: { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" },
          agent: secure ? agents["https:"] : agents["http:"],
          ...(init.signal && { signal: init.signal }),
        },
        (answer) => resolve(toResponse(answer)),
      );
      request.once("socket", (socket) => {
        if (socket.connecting) {
          const giveUp = () => request.destroy(new Error("no connection within the limit"));
          const timer = setTimeout(giveUp, connectMilliseconds);
          socket.once(secure ? "secureConnect" : "connect", () => clearTimeout(timer));
          socket.once("close", () => clearTimeout(timer));
        }
      });
      request.once("error", reject);
      request.end(init.body);
    });
}

/** How long opening a connection ahead of time may take, answer included: the first request waits for it. */
const AHEAD_MILLISECONDS = 1_000;

/**
 * Opens the connection that the first request to a model will use, by a `GET` of the base URL without a key, whatever
 * the answer; after a `HEAD` without a length, Node would not use the connection again. Reading the answer also loads
 * what Node reads every body with, its web streams: 15 ms at the full speed of a processor.
 *
 * @param baseUrl that of OpenAI, if none is given
 * @throws the connection's error; an AbortError after a second
 */
export async function preconnect(baseUrl = "https://api.openai.com/v1"): Promise<void> {
  const response = await fetchWithin(AHEAD_MILLISECONDS)(baseUrl, { signal: AbortSignal.timeout(AHEAD_MILLISECONDS) });
  await response.text();
}

function toResponse(answer: http.IncomingMessage): Response {
  const status = answer.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    headers.set(name, String(value));
  }
  const bodiless = status === 204 || status === 304;
  return new Response(bodiless ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers });
}
