import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import { VERDICT_INSTRUCTIONS } from "../../../shared/chat/instructions.ts";
import { responseTo, type WireForm } from "../../../tools/safety/wire-forms.ts";

/** A request as the provider receives it. */
export interface ModelRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: string }[];
  [parameter: string]: unknown;
}

/** The model's response to a request: an answer or a typical provider failure. */
export type ModelReply =
  | Spoken
  | { status: number; body?: unknown; headers?: Record<string, string> }
  /** Sends this text as the whole body, with status 200. */
  | { raw: string }
  /** Sends what a real server has sent. */
  | { wire: WireForm }
  /** Closes the connection without a response. */
  | { drop: true }
  /** Never responds. */
  | { hang: true };

/** An answer, complete or streamed word by word, as requested. */
export interface Spoken {
  content: string;
  /** Delay before the answer or its first word. */
  delayMs?: number;
  /** Awaited before each word of a streamed answer. */
  beforeWord?: (index: number) => Promise<unknown>;
  /** Closes the connection after this many words of a streamed answer, or halfway through a complete one. */
  breakAfter?: number;
  /** The reason why the answer ends; "stop" by default. */
  finishReason?: string;
  /** The provider's refusal, instead of content. */
  refusal?: string;
  /** Tokens of the prompt that come from the provider's cache. */
  cachedTokens?: number;
}

export type Script = (request: ModelRequest) => ModelReply | Promise<ModelReply>;

interface ReceivedRequest {
  headers: NodeJS.Dict<string | string[]>;
  body: ModelRequest;
}

/** A model provider on loopback that responds as scripted by the test and records its requests. */
export interface ScriptedModel {
  /** The value for OPENAI_BASE_URL. */
  baseUrl: string;
  requests: ReceivedRequest[];
  /** Determines each response; {@link echo} by default. */
  script: Script;
  /** The requests for a verdict on a suspicion, which are not among {@link requests}. */
  verdictRequests: ReceivedRequest[];
  /** Determines each verdict; {@link noDanger} by default. Undefined if the script responds to these requests, too. */
  verdict: Script | undefined;
  /**
   * Whether connections stay open for further requests. A reused connection that is closed does not count as a failure.
   */
  keepAlive: boolean;
  stop(): void;
}

/** The default answer: the question with a prefix. */
export function echo({ messages }: ModelRequest): Spoken {
  // The content of a prompt with cache breakpoints is a list of parts.
  const question = messages.findLast(({ role }) => role === "user")?.content as string | { text: string }[] | undefined;
  return { content: `answer to: ${Array.isArray(question) ? question.map(({ text }) => text).join("") : question}` };
}

/** The default verdict on a suspicion. */
export function noDanger(): Spoken {
  return verdictOf("none");
}

/** A verdict as the service asks for it. */
export function verdictOf(level: string, category = "none", certainty = "certain"): Spoken {
  return { content: JSON.stringify({ level, category, certainty }) };
}

function asksForVerdict({ messages }: ModelRequest): boolean {
  return messages[0]?.content === VERDICT_INSTRUCTIONS;
}

/** The messages of a prompt without the level markers with which the service shows earlier answers to the model. */
export function withoutMarkers<Message extends { content: string }>(messages: Message[]): Message[] {
  return messages.map((message) => ({ ...message, content: message.content.replace(/^\[\[level: [^\]]*\]\]\n/, "") }));
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer(async (request, response) => {
    response.shouldKeepAlive = model.keepAlive;
    if (request.method === "GET") {
      const list = request.url?.endsWith("/models") && { object: "list", data: [{ id: "scripted", object: "model" }] };
      response.writeHead(list ? 200 : 404).end(list && JSON.stringify(list)); // without a path, it is a preconnect
      return;
    }
    const body = (await json(request)) as ModelRequest;
    const isVerdict = asksForVerdict(body);
    (isVerdict ? model.verdictRequests : model.requests).push({ headers: request.headers, body });
    response.on("error", () => {}); // the service has disconnected
    const script = (isVerdict && model.verdict) || model.script;
    await send(response, await script(body), body);
  });
  const { origin, stop } = await listenOnLoopback(server);
  const model: ScriptedModel = {
    baseUrl: `${origin}/v1`,
    requests: [],
    script: echo,
    verdictRequests: [],
    verdict: noDanger,
    keepAlive: true,
    stop,
  };
  return model;
}

async function send(response: ServerResponse, reply: ModelReply, request: ModelRequest): Promise<void> {
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
    await (request.stream === true ? speak(response, reply, levelFor(reply, request)) : answer(response, reply));
    return;
  }
  if ("wire" in reply) {
    const { status, type, body } = responseTo(reply.wire, request);
    response.writeHead(status, { "content-type": type }).end(body);
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

function answer(response: ServerResponse, { content, finishReason, refusal, breakAfter, cachedTokens }: Spoken): void {
  const body = completion(refusal ? null : content, finishReason, refusal);
  const text = JSON.stringify({ ...body, usage: usageOf(cachedTokens) });
  response.setHeader("content-type", "application/json");
  if (breakAfter === undefined) {
    response.end(text);
    return;
  }
  response.setHeader("content-length", Buffer.byteLength(text));
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

/**
 * A stream begins with the level, if the service asks for it: without, the first answer of a model in a process comes as
 * a whole (docs/models.md), and other files' tests may have used the same process.
 */
function levelFor({ content }: Spoken, { messages }: ModelRequest): string {
  const isAsked = messages.some(({ role, content: prompt }) => role === "system" && prompt.includes("[[level: "));
  return isAsked && !/^\W*level/i.test(content) ? "[[level: none]]\n" : "";
}

/** @param level what comes with the first word */
async function speak(response: ServerResponse, reply: Spoken, level: string): Promise<void> {
  const { content, beforeWord, breakAfter = Number.POSITIVE_INFINITY, finishReason = "stop" } = reply;
  const { refusal, cachedTokens } = reply;
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
      // The callback of this write runs only after everything before it has been sent.
      response.write(": flush\n\n", () => response.destroy());
      return;
    }
    await beforeWord?.(index);
    chunk({ content: index === 0 ? level + word : word });
  }
  chunk({}, finishReason);
  const usage = usageOf(cachedTokens);
  response.write(`data: ${JSON.stringify({ id: "chatcmpl-scripted", choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

function usageOf(cachedTokens: number | undefined) {
  const details = cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } };
  return { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...details };
}

/** An answer in the format of the Chat Completions API. */
export function completion(content: string | null, finishReason = "stop", refusal: string | null = null) {
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, finish_reason: finishReason, message: { role: "assistant", content, refusal } }],
    usage: usageOf(undefined),
  };
}
