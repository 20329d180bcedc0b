import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import { servePrograms } from "../packages/lambda-local/loopback.ts";
import { scriptedAnswer, scriptedVerdict } from "./scripted-answer.ts";

type Messages = ChatCompletionCreateParams["messages"];

export interface OfflineModel {
  /** For everything that says which model wrote a text. */
  name: string;
  /** The value for OPENAI_BASE_URL. */
  baseUrl: string;
  /** The messages of the last request: what a real model would receive. Empty before the first and once forgotten. */
  lastMessages(): Messages;
  /** Forgets the last request, which contains a conversation and a patient's record. */
  forget(): void;
  stop(): void;
}

const NAME = "scripted-demonstration";

/** Stands below each answer, which could be mistaken for advice. */
const NOTE = "\n\n*A scripted answer: no AI is connected.*";

/** The length of a piece of a streamed answer, about that of three words, in UTF-16 code units. */
const PIECE = 20;

/** Roughly, in English text (OpenAI, "What are tokens and how to count them?"). */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Starts a model that needs no network and answers by a script: `POST /v1/chat/completions` of OpenAI's API, as JSON or
 * as a stream (OpenAI API reference, "Create chat completion").
 *
 * @param pauseMilliseconds the wait before each piece of a streamed answer
 * @param note stands below each answer
 */
export async function startOfflineModel(pauseMilliseconds = 0, note = NOTE): Promise<OfflineModel> {
  let messages: Messages = [];
  const answerTo = (request: ChatCompletionCreateParams) => {
    if (request.response_format) {
      return scriptedVerdict(request);
    }
    messages = request.messages;
    return scriptedAnswer(request) + note;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      request.resume();
      response.writeHead(404, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ error: { message: "The offline model only completes chats.", type: "not_found" } }),
      );
      return;
    }
    const parameters = (await json(request)) as ChatCompletionCreateParams;
    const content = answerTo(parameters);
    const common = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: NAME };
    const usage = usageOf(parameters, content);
    if (!parameters.stream) {
      const choice = { index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop" };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...common, object: "chat.completion", choices: [choice], usage }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (choices: object[], rest = {}) =>
      response.write(`data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", choices, ...rest })}\n\n`);
    for (const piece of piecesOf(content)) {
      await setTimeout(pauseMilliseconds);
      send([{ index: 0, delta: { content: piece }, finish_reason: null }]);
    }
    send([{ index: 0, delta: {}, finish_reason: "stop" }]);
    if (parameters.stream_options?.include_usage) {
      send([], { usage });
    }
    response.end("data: [DONE]\n\n");
  };
  const { origin, stop } = await servePrograms((request, response) => {
    respond(request, response).catch(() => response.destroy()); // not what the service sends
  });
  return {
    name: NAME,
    baseUrl: `${origin}/v1`,
    lastMessages: () => messages,
    forget: () => {
      messages = [];
    },
    stop,
  };
}

function piecesOf(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  );
}

function usageOf({ messages }: ChatCompletionCreateParams, answer: string) {
  const tokens = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const prompt_tokens = tokens(messages.map(({ content }) => content).join(""));
  const completion_tokens = tokens(answer);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
