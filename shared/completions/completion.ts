import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { serverSentEvent } from "../http/event-stream.ts";
import type { RequestContext, TokenUsage } from "../request/request-context.ts";
import { MODEL } from "./models.ts";

const usage = documented(
  z.object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  }),
  { description: "The tokens of all calls to models; zeros if none was called" },
);

/** Response of `POST /openai/v1/chat/completions` (OpenAI, "The chat completion object"). */
export const completion = z.object({
  id: documented(z.string(), { description: "Contains the request's ID" }),
  object: z.literal("chat.completion"),
  created: documented(z.int(), { description: "In seconds since the epoch" }),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.object({ role: z.literal("assistant"), content: z.string(), refusal: z.null() }),
      logprobs: z.null(),
      finish_reason: z.literal("stop"),
    }),
  ),
  usage,
});
export type Completion = z.output<typeof completion>;

/** A part of a streamed completion (OpenAI, "The chat completion chunk object"). */
export interface CompletionChunk extends Pick<Completion, "id" | "created" | "model"> {
  object: "chat.completion.chunk";
  /** Empty in the chunk with the usage. */
  choices: {
    index: 0;
    delta: { role?: "assistant"; content?: string };
    logprobs: null;
    finish_reason: "stop" | null;
  }[];
  /** Only in a stream that was requested with it: null in all chunks but the last. */
  usage?: Completion["usage"] | null;
}

/** Creates the completion of a request from the answer to it. */
export function completionOf(context: RequestContext, content: string): Completion {
  const message = { role: "assistant", content, refusal: null } as const;
  return {
    ...identityOf(context),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
    usage: usageOf(context.usage),
  };
}

/** Sends a completion in chunks: the role, the pieces of the answer, the end and, if requested, the usage. */
export class CompletionStream {
  private readonly context: RequestContext;
  private readonly send: (event: string) => void;
  private readonly includesUsage: boolean;
  private readonly identity: Pick<Completion, "id" | "created" | "model">;
  private started = false;

  /** @param send sends a server-sent event */
  constructor(context: RequestContext, send: (event: string) => void, includesUsage: boolean) {
    this.context = context;
    this.send = send;
    this.includesUsage = includesUsage;
    this.identity = identityOf(context);
  }

  /** Sends a piece of the answer; before the first, the role: until then, a failure can be a plain response. */
  write(content: string): void {
    if (!this.started) {
      this.started = true;
      this.sendChoice({ role: "assistant", content: "" }, null);
    }
    this.sendChoice({ content }, null);
  }

  /** Ends the stream. */
  end(): void {
    this.sendChoice({}, "stop");
    if (this.includesUsage) {
      this.sendChunk([], usageOf(this.context.usage));
    }
    this.send("data: [DONE]\n\n");
  }

  private sendChoice(delta: CompletionChunk["choices"][number]["delta"], finish_reason: "stop" | null): void {
    this.sendChunk([{ index: 0, delta, logprobs: null, finish_reason }], null);
  }

  private sendChunk(choices: CompletionChunk["choices"], usage: Completion["usage"] | null): void {
    const chunk: CompletionChunk = {
      ...this.identity,
      object: "chat.completion.chunk",
      choices,
      ...(this.includesUsage && { usage }),
    };
    this.send(serverSentEvent(chunk));
  }
}

function identityOf({ id }: RequestContext) {
  return { id: `chatcmpl-${id}`, created: Math.floor(Date.now() / 1000), model: MODEL };
}

function usageOf({ inputTokens, outputTokens, cachedInputTokens }: Partial<TokenUsage> = {}): Completion["usage"] {
  const [prompt_tokens = 0, completion_tokens = 0, cached_tokens = 0] = [inputTokens, outputTokens, cachedInputTokens];
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens },
  };
}
