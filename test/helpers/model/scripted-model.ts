import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

/** A request as the model's provider would get it. */
export interface ModelRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: string }[];
  [parameter: string]: unknown;
}

/** How the model answers one request: properly, or in one of the ways in which providers fail. */
export type ModelReply =
  | Spoken
  | { status: number; body?: unknown; headers?: Record<string, string> }
  /** Sends this text as the whole body, with status 200. */
  | { raw: string }
  /** Cuts the connection without an answer. */
  | { drop: true }
  /** Never answers. */
  | { hang: true };

/** An answer, whole or word by word as the request asks. */
export interface Spoken {
  content: string;
  /** Before the answer, or its first word. */
  delayMs?: number;
  /** Awaited before each word of a streamed answer. */
  beforeWord?: (index: number) => Promise<unknown>;
  /** Cuts the connection after so many words of a streamed answer; after nothing, of a whole one. */
  breakAfter?: number;
  /** Why the answer ends; "stop" if it is whole. */
  finishReason?: string;
  /** The provider's refusal, instead of content. */
  refusal?: string;
}

/** A model provider on loopback: answers as the test says, and records what it was asked. */
export interface ScriptedModel {
  /** To be used as OPENAI_BASE_URL. */
  baseUrl: string;
  requests: { headers: NodeJS.Dict<string | string[]>; body: ModelRequest }[];
  /** Decides each answer; {@link echo} until a test sets it. */
  script: (request: ModelRequest) => ModelReply | Promise<ModelReply>;
  /** Whether connections stay open for further requests; one that is cut although it was reused is no failure. */
  keepAlive: boolean;
  stop(): void;
}

/** The answer of an unscripted model: the question, marked. */
export function echo(request: ModelRequest): Spoken {
  return { content: `answer to: ${request.messages.at(-1)?.content}` };
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer(async (request, response) => {
    response.shouldKeepAlive = model.keepAlive;
    if (request.method === "GET") {
      response.writeHead(404).end(); // a function that opens its connection ahead of time
      return;
    }
    const body = (await json(request)) as ModelRequest;
    model.requests.push({ headers: request.headers, body });
    response.on("error", () => {}); // the service has hung up
    await send(response, await model.script(body), body.stream === true);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const model: ScriptedModel = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    script: echo,
    keepAlive: true,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return model;
}

async function send(response: ServerResponse, reply: ModelReply, streamed: boolean): Promise<void> {
  response.setHeader("x-request-id", "req_scripted");
  if ("hang" in reply) {
    return;
  }
  if ("drop" in reply) {
    response.destroy();
    return;
  }
  if ("content" in reply) {
    await setTimeout(reply.delayMs ?? 0);
    await (streamed ? speak(response, reply) : answer(response, reply));
    return;
  }
  response.setHeader("content-type", "application/json");
  if ("raw" in reply) {
    response.end(reply.raw);
  } else {
    const body = reply.body ?? { error: { message: "scripted" } };
    response.writeHead(reply.status, reply.headers).end(JSON.stringify(body));
  }
}

function answer(response: ServerResponse, { content, finishReason, refusal, breakAfter }: Spoken): void {
  const text = JSON.stringify(completion(refusal ? null : content, finishReason, refusal));
  response.setHeader("content-type", "application/json");
  if (breakAfter === undefined) {
    response.end(text);
    return;
  }
  response.setHeader("content-length", Buffer.byteLength(text));
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

async function speak(response: ServerResponse, reply: Spoken): Promise<void> {
  const { content, beforeWord, breakAfter = Number.POSITIVE_INFINITY, finishReason = "stop", refusal } = reply;
  response.setHeader("content-type", "text/event-stream");
  const chunk = (delta: object, finish_reason: string | null = null) => {
    const data = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 0, model: "scripted" };
    response.write(`data: ${JSON.stringify({ ...data, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  };
  chunk({ role: "assistant", content: "" });
  if (refusal) {
    chunk({ refusal });
  }
  for (const [index, word] of (content.match(/\s*\S+\s*/g) ?? []).entries()) {
    if (index >= breakAfter) {
      response.write(": what was written before has left now\n\n", () => response.destroy());
      return;
    }
    await beforeWord?.(index);
    chunk({ content: word });
  }
  chunk({}, finishReason);
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.write(`data: ${JSON.stringify({ id: "chatcmpl-scripted", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

/** An answer in the form of the Chat Completions protocol. */
export function completion(content: string | null, finishReason = "stop", refusal: string | null = null) {
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, finish_reason: finishReason, message: { role: "assistant", content, refusal } }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
