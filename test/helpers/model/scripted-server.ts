import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import { LOOPBACK_TLS, trustLoopback } from "./loopback-tls.ts";

/** Sends the response to one request. */
export type Answer = (response: ServerResponse) => void;

/** A server on loopback that responds to requests as scripted, in order; the last response is repeated. */
export interface ScriptedServer {
  baseUrl: string;
  requests: {
    method: string | undefined;
    path: string | undefined;
    headers: IncomingMessage["headers"];
    body: string;
  }[];
  script(...answers: Answer[]): void;
  stop(): void;
}

/** @param scheme with `https`, this process trusts the server's certificate from now on */
export async function startScriptedServer(scheme: "http" | "https" = "http"): Promise<ScriptedServer> {
  let answers: Answer[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, headers } = request;
    scripted.requests.push({ method, path, headers, body: await text(request) });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response);
  };
  if (scheme === "https") {
    trustLoopback();
  }
  const server = scheme === "https" ? createSecureServer(LOOPBACK_TLS, respond) : createServer(respond);
  const { origin, stop } = await listenOnLoopback(server);
  const scripted: ScriptedServer = {
    baseUrl: `${origin.replace("http", scheme)}/v1`,
    requests: [],
    script: (...next) => {
      answers = next;
      scripted.requests.length = 0;
    },
    stop,
  };
  return scripted;
}

/** Responds with JSON. A string is sent unchanged. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Responds with an event stream that ends after this text. */
export function eventStream(content: string, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(200, { "content-type": "text/event-stream", ...headers }).end(content);
}

/** Closes the connection without a response. */
export const drop: Answer = (response) => response.destroy();

/** Never responds. */
export const hang: Answer = () => {};

/** Starts a response of this type and closes the connection after this text. */
export function cutAfter(content: string, contentType = "application/json"): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": contentType });
    response.write(content, () => response.destroy());
  };
}

/** Starts a response of this type and never ends it. */
export function stallAfter(content: string, contentType = "application/json"): Answer {
  return (response) => response.writeHead(200, { "content-type": contentType }).write(content);
}
