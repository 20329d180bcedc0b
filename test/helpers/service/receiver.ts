import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";

/** A message that a receiver got. */
export interface Received {
  /** The path of the URL. */
  path: string;
  headers: IncomingHttpHeaders;
  /** As sent, for the signature. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests access payloads freely
  body: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** How the next messages are answered; 204 by default. */
  answer: (response: ServerResponse, message: Received) => unknown;
  stop(): void;
}

/** A webhook's receiver on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const receiver = { received, answer: answerWith(204) } as Receiver;
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const message = { path: request.url ?? "", headers: request.headers, text: sent, body: JSON.parse(sent) };
    received.push(message);
    receiver.answer(response, message);
  });
  const { origin, stop } = await listenOnLoopback(server);
  return Object.assign(receiver, { url: `${origin}/hook`, stop });
}

/** Answers with a status, without a body. */
export function answerWith(status: number, headers: Record<string, string> = {}): Receiver["answer"] {
  return (response) => response.writeHead(status, headers).end();
}
