import { chatCompletion, modelList, openAiError, streamedCompletion } from "../bodies.ts";
import { rulesOf } from "../rule.ts";
import type { Target } from "../target.ts";

const COMPLETIONS = "POST /openai/v1/chat/completions";
const MODELS = "GET /openai/v1/models";

const UNAUTHORIZED = openAiError(null, "invalid_api_key");

/** The key as OpenAI's clients send it. */
const asBearer = ({ apiKey }: Target) => ({ "x-api-key": null, authorization: `Bearer ${apiKey}` });

const question = {
  model: "health-assistant",
  messages: [{ role: "user", content: "Live check: please answer with one short sentence." }],
};

/** The rules for OpenAI's clients. Two of them call the model. */
export const openAiClients = [
  ...rulesOf(
    MODELS,
    {
      "with the key as a bearer token: 200, lists the assistant": (target) =>
        target.expect(MODELS, 200, modelList, { headers: asBearer(target) }),
    },
    UNAUTHORIZED,
  ),
  ...rulesOf(
    COMPLETIONS,
    {
      "for an unknown model: 404": (target) =>
        target.expect(COMPLETIONS, 404, openAiError("model", "model_not_found"), {
          body: { ...question, model: "another" },
        }),
      "with n=2: 400": (target) =>
        target.expect(COMPLETIONS, 400, openAiError("n", "invalid"), { body: { ...question, n: 2 } }),
      "with the key as a bearer token: 200 with a completion": (target) => {
        const request = { body: question, headers: asBearer(target), marked: true };
        return target.expect(COMPLETIONS, 200, chatCompletion, request);
      },
      "for a streamed completion: 200 with chunks and [DONE]": (target) => {
        const headers = { accept: "text/event-stream" };
        const request = { body: { ...question, stream: true }, headers, marked: true };
        return target.expect(COMPLETIONS, 200, streamedCompletion, request);
      },
    },
    UNAUTHORIZED,
  ),
];
