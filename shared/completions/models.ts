import * as z from "zod/mini";

/** The name under which OpenAI's clients know the assistant, whichever model answers. */
export const MODEL = "health-assistant";

/** Response of `GET /openai/v1/models`. */
export const modelList = z.object({
  object: z.literal("list"),
  data: z.array(z.object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.string() })),
});

/** `GET /openai/v1/models`: the assistant. The time of its creation says nothing, but clients expect one. */
export function listModels(): z.output<typeof modelList> {
  return { object: "list", data: [{ id: MODEL, object: "model", created: 1_767_225_600, owned_by: MODEL }] };
}
