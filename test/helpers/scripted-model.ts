import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

/** A request as the model's provider would get it. */
export interface ModelRequest {
  model: string;
  messages: { role: string; content: string }[];
  [parameter: string]: unknown;
}

/** How the model answers one request: properly, or in one of the ways in which providers fail. */
export type ModelReply =
  | { content: string; delayMs?: number }
  | { status: number; body?: unknown; headers?: Record<string, string> }
  /** Sends this text as the whole body, with status 200. */
  | { raw: string }
  /** Cuts the connection without an answer. */
  | { drop: true }
  /** Never answers. */
  | { hang: true };

/** A model provider on loopback: answers as the test says, and records what it was asked. */
export interface ScriptedModel {
  /** To be used as OPENAI_BASE_URL. */
  baseUrl: string;
  requests: { headers: NodeJS.Dict<string | string[]>; body: ModelRequest }[];
  /** Decides each answer; {@link echo} until a test sets it. */
  script: (request: ModelRequest) => ModelReply | Promise<ModelReply>;
  stop(): void;
}

/** The answer of an unscripted model: the question, marked. */
export function echo(request: ModelRequest): ModelReply {
  return { content: `answer to: ${request.messages.at(-1)?.content}` };
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as ModelRequest;
    model.requests.push({ headers: request.headers, body });
    await send(response, await model.script(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const model: ScriptedModel = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    script: echo,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return model;
}

async function send(response: ServerResponse, reply: ModelReply): Promise<void> {
  if ("hang" in reply) {
    return;
  }
  if ("drop" in reply) {
    response.destroy();
    return;
  }
  response.setHeader("content-type", "application/json");
  if ("raw" in reply) {
    response.end(reply.raw);
  } else if ("status" in reply) {
    response
      .writeHead(reply.status, reply.headers)
      .end(JSON.stringify(reply.body ?? { error: { message: "scripted" } }));
  } else {
    await setTimeout(reply.delayMs ?? 0);
    response.end(JSON.stringify(completion(reply.content)));
  }
}

/** An answer in the form of the Chat Completions protocol. */
export function completion(content: string | null, finishReason = "stop") {
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, finish_reason: finishReason, message: { role: "assistant", content, refusal: null } }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
