import * as z from "zod/mini";
import { ServiceError } from "../errors.ts";

/** The name under which OpenAI's clients know the assistant, whichever model answers. */
export const MODEL = "health-assistant";

/** The error for a model that the service does not have. */
export const UNKNOWN_MODEL = {
  error: `The model does not exist; the only one is ${MODEL}, for chat completions`,
  code: "model-not-found",
};

/** Response of `GET /openai/v1/models/{id}`. */
export const model = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

/** Response of `GET /openai/v1/models`. */
export const modelList = z.object({ object: z.literal("list"), data: z.array(model) });

/** The assistant as a model. The time of its creation says nothing, but clients expect one. */
export const ASSISTANT: z.output<typeof model> = {
  id: MODEL,
  object: "model",
  created: 1_767_225_600,
  owned_by: MODEL,
};

/** `GET /openai/v1/models`: the assistant. */
export function listModels(): z.output<typeof modelList> {
  return { object: "list", data: [ASSISTANT] };
}

/**
 * `GET /openai/v1/models/{id}`: the assistant.
 *
 * @throws ServiceError `not-found` for another model
 */
export function getModel(id: string): z.output<typeof model> {
  if (id !== MODEL) {
    throw new ServiceError("not-found", UNKNOWN_MODEL);
  }
  return ASSISTANT;
}
