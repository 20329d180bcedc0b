import { isDeepStrictEqual } from "node:util";
import { rulesOf } from "../rule.ts";
import type { Target } from "../target.ts";

const COMPLETIONS = "POST /openai/v1/chat/completions";
const MODEL = "health-assistant";

/** The key as OpenAI's clients send it. */
const asBearer = ({ apiKey }: Target) => ({ "x-api-key": null, authorization: `Bearer ${apiKey}` });

const question = {
  model: MODEL,
  messages: [{ role: "user", content: "When do you open?" }],
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

/** Whether the data of an event is a chunk with this delta, which may depend on the chunk's own text. */
function isChunk(event: string, delta: (content: unknown) => object, finish_reason: string | null = null): boolean {
  const { id, created, ...chunk } = JSON.parse(event.replace(/^data: /, ""));
  const choice = { index: 0, delta: delta(chunk.choices?.[0]?.delta?.content), logprobs: null, finish_reason };
  const expected = { object: "chat.completion.chunk", model: MODEL, choices: [choice] };
  return isOfRequest(id) && Number.isInteger(created) && isDeepStrictEqual(chunk, expected);
}

/** A streamed completion: the role, pieces and the end. Its events have no names. */
function isStreamedCompletion(text: unknown): boolean {
  const events = typeof text === "string" ? text.split("\n\n").filter((event) => !event.startsWith(":")) : [];
  const [first = "", ...pieces] = events;
  const [end = "", ...done] = pieces.splice(-3);
  return (
    isDeepStrictEqual(done, ["data: [DONE]", ""]) &&
    isChunk(first, () => ({ role: "assistant", content: "" })) &&
    pieces.length > 0 &&
    pieces.every((piece) => isChunk(piece, (content) => ({ content: content || "some text" }))) &&
    isChunk(end, () => ({}), "stop")
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
  ...rulesOf("GET /openai/v1/models/{id}", {
    "gets the model: 200": (target) =>
      target.expect(
        `GET /openai/v1/models/${MODEL}`,
        200,
        { id: MODEL, owned_by: MODEL },
        { headers: asBearer(target) },
      ),
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
