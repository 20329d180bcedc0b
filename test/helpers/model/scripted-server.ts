import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** How one request is answered. */
export type Answer = (response: ServerResponse) => void;

/** A server on loopback that answers its requests one after the other as a test says, and the last way for ever after. */
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

export async function startScriptedServer(): Promise<ScriptedServer> {
  let answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    scripted.requests.push({ method, path, headers, body: await text(request) });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const scripted: ScriptedServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    script: (...next) => {
      answers = next;
      scripted.requests.length = 0;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return scripted;
}

/** Answers with JSON; a string is sent as it is. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Answers with an event stream that ends after this text. */
export function eventStream(content: string, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(200, { "content-type": "text/event-stream", ...headers }).end(content);
}

/** Cuts the connection without an answer. */
export const drop: Answer = (response) => response.destroy();

/** Never answers. */
export const hang: Answer = () => {};

/** Begins an answer of this type, and cuts the connection after this text. */
export function cutAfter(content: string, contentType = "application/json"): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": contentType });
    response.write(content, () => response.destroy());
  };
}

/** Begins an answer of this type, and never ends it. */
export function stallAfter(content: string, contentType = "application/json"): Answer {
  return (response) => response.writeHead(200, { "content-type": contentType }).write(content);
}
