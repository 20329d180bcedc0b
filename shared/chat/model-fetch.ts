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

function toResponse(answer: http.IncomingMessage): Response {
  const status = answer.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    headers.set(name, String(value));
  }
  const bodiless = status === 204 || status === 304;
  return new Response(bodiless ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers });
}
