// Checked by the compiler: responses have the types of OpenAI's own client.
import type OpenAI from "openai";
import type { Completion, CompletionChunk } from "../../shared/completions/completion.ts";
import type { listModels } from "../../shared/completions/models.ts";

export const completion = {} as Completion satisfies OpenAI.ChatCompletion;
export const chunk = {} as CompletionChunk satisfies OpenAI.ChatCompletionChunk;
export const model = {} as ReturnType<typeof listModels>["data"][number] satisfies OpenAI.Model;
