import { exactly } from "../expected.ts";
import { rulesOf } from "../rule.ts";
import type { Target } from "../target.ts";

const COMPLETIONS = "POST /openai/v1/chat/completions";
const MODEL = "health-assistant";

/** The key as OpenAI's clients send it. */
const asBearer = ({ apiKey }: Target) => ({ "x-api-key": null, authorization: `Bearer ${apiKey}` });

const question = {
  model: MODEL,
  messages: [{ role: "user", content: "Live check: please answer with one short sentence." }],
};

const isOfRequest = (id: unknown) => /^chatcmpl-live-check-[\w.-]+$/.test(String(id));

/** A completion in OpenAI's format. */
const COMPLETION = {
  id: isOfRequest,
  model: MODEL,
  choices: [{ message: { content: Boolean } }],
  usage: (usage: Record<string, number>) =>
    Number(usage?.prompt_tokens) > 0 &&
    Number(usage?.completion_tokens) > 0 &&
    usage?.total_tokens === Number(usage.prompt_tokens) + Number(usage.completion_tokens),
};

/** Whether a chunk has the whole form of one with this delta. */
function isChunk(event: string, delta: (delta: object) => boolean, finish_reason: string | null): boolean {
  const { id, created, choices, ...rest } = JSON.parse(event.replace(/^data: /, ""));
  const form = { object: "chat.completion.chunk", model: MODEL };
  const [{ delta: actual, ...choice } = { delta: {} }] = choices;
  return (
    isOfRequest(id) &&
    Number.isInteger(created) &&
    exactlyIs(rest, form) &&
    exactlyIs(choice, { index: 0, logprobs: null, finish_reason }) &&
    choices.length === 1 &&
    delta(actual)
  );
}

const exactlyIs = (actual: unknown, value: unknown) => (exactly(value) as (actual: unknown) => boolean)(actual);
const isRole = (delta: object) => exactlyIs(delta, { role: "assistant", content: "" });
const isPiece = (delta: { content?: string }) => Object.keys(delta).join() === "content" && Boolean(delta.content);
const isEmpty = (delta: object) => exactlyIs(delta, {});

/** A streamed completion: the role, pieces and the end. Its events have no names. */
function isStreamedCompletion(text: unknown): boolean {
  const events = typeof text === "string" ? text.split("\n\n").filter((event) => !event.startsWith(":")) : [];
  const [first = "", ...pieces] = events;
  const [end = "", done, nothing] = pieces.splice(-3);
  return (
    done === "data: [DONE]" &&
    nothing === "" &&
    pieces.length > 0 &&
    isChunk(first, isRole, null) &&
    pieces.every((piece) => isChunk(piece, isPiece, null)) &&
    isChunk(end, isEmpty, "stop")
  );
}

/** The rules for OpenAI's clients. Two of them call the model. */
export const openAiClients = [
  ...rulesOf("GET /openai/v1/models", {
    "with the key as a bearer token: 200, lists the assistant": (target) => {
      const models = { data: [{ id: MODEL, owned_by: MODEL }] };
      return target.expect("GET /openai/v1/models", 200, models, { headers: asBearer(target) });
    },
  }),
  ...rulesOf(COMPLETIONS, {
    "for an unknown model: 404": (target) => {
      const error = { param: "model", code: "model_not_found", type: "invalid_request_error", message: Boolean };
      return target.expect(COMPLETIONS, 404, { error }, { body: { ...question, model: "another" } });
    },
    "with the key as a bearer token: 200 with a completion": (target) =>
      target.expect(COMPLETIONS, 200, COMPLETION, { body: question, headers: asBearer(target), marked: true }),
    "for a streamed completion: 200 with chunks and [DONE]": (target) => {
      const headers = { accept: "text/event-stream" };
      const request = { body: { ...question, stream: true }, headers, marked: true };
      return target.expect(COMPLETIONS, 200, isStreamedCompletion, request);
    },
  }),
];
