import { MESSAGE_LENGTH } from "../chat/chat-request.ts";
import { type Docs, invalid } from "../contract/operation.ts";
import { IDEMPOTENCY_KEY } from "../idempotency/idempotency.ts";
import { PATIENT_ID_EXAMPLE } from "../patients/examples.ts";
import { THREAD_ID_EXAMPLE } from "../threads/thread-id.ts";
import { type Completion, type CompletionChunk, completion } from "./completion.ts";
import { NO_SYSTEM_MESSAGES } from "./completion-request.ts";
import type { openAiEndpoints } from "./endpoints.ts";
import { ASSISTANT, listModels, MODEL, modelList, model as modelSchema } from "./models.ts";

// never by phone number

const COMPLETION_EXAMPLE: Completion = {
  id: "chatcmpl-3f0a4d3e-5f0e-4b2f-9a53-7f1f0c7f0b11",
  object: "chat.completion",
  created: 1_774_342_800,
  model: MODEL,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Ibuprofen can make asthma worse in some people.", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: {
    prompt_tokens: 812,
    completion_tokens: 11,
    total_tokens: 823,
    prompt_tokens_details: { cached_tokens: 0 },
  },
};

/** A chunk of the streamed example. */
function chunk(
  delta: CompletionChunk["choices"][number]["delta"],
  finish_reason: CompletionChunk["choices"][number]["finish_reason"] = null,
): string {
  const { id, created } = COMPLETION_EXAMPLE;
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  return `data: ${JSON.stringify({ id, created, model: MODEL, object: "chat.completion.chunk", choices })}\n\n`;
}

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const openAiDocs = {
  "create-completion": {
    tag: "OpenAI-compatible",
    summary: "Create a chat completion",
    description: `Answers a message like \`POST /chat\`, in the format of OpenAI's chat completions, so that its clients can talk to the
assistant: their base URL is \`{base_url}/openai/v1\`, their API key is yours, and the model is \`${MODEL}\`.

The last message is the question, of at most ${MESSAGE_LENGTH} characters, and those before it are its context. Nothing is stored. With the ID of a
thread in \`metadata.thread_id\`, the thread's own messages are the context, the earlier messages of the request are
ignored, and the question and its answer are appended to the thread.

The patient is the thread's, else the one with \`metadata.patient_id\`, else the one with \`user\`. An ID without a patient is a 404;
a \`user\` that is no UUID is ignored, because some clients send an ID of their own.

Alerts, cautions and the disclosure are parts of the text. Quotas, retries with an \`Idempotency-Key\`, and what is stored
are as with \`POST /chat\`, and so is the 403 of a patient without consent.

**Parameters.** Those that ask for what the assistant does not do are a 400 that names them. All others, such as
\`temperature\`, \`top_p\`, \`max_tokens\`, \`max_completion_tokens\`, \`presence_penalty\`, \`frequency_penalty\`, \`seed\`,
\`reasoning_effort\` and \`store\`, are ignored, and so are unknown entries of \`metadata\` and a \`user\` that is not the patient: the
header \`x-ignored\` of the response names them, and \`x-did-you-mean\` what a misspelled one probably meant. System and
developer messages are ignored, too, because the assistant has its own instructions: \`x-ignored\` then says
\`system-messages\`. Your operator can have them rejected instead, with a 400 (the setting \`openaiSystemMessages\`).

**Streaming.** With \`"stream": true\`, a 200 is sent as chunks: the role, the pieces of the answer, the end, with
\`stream_options.include_usage\` the usage, and \`[DONE]\`. If the model fails after the first piece, an event with the
error's body is the last one; before it, errors have their status and JSON body.

**Errors** have the shape of OpenAI's, also those of paths and methods that do not exist. Only those of the gateway, which no
function has seen, have the generic shape: a body of more than 10 MB, too many requests at once, a function that does not
answer.`,
    headers: [
      {
        name: "Idempotency-Key",
        description:
          "1 to 255 printable ASCII characters, new for each message; used only together with a `metadata.thread_id`.",
        example: "9d0a7c9e-2f61-4f0e-8f6a-6a0de2a4b3c1",
        schema: IDEMPOTENCY_KEY,
      },
    ],
    responseHeaders: ["ai-disclosure", "idempotent-replayed", "x-ignored"],
    bodyRequired: true,
    response: completion,
    requests: {
      "With its context": {
        model: MODEL,
        messages: [
          { role: "user", content: "Can I take paracetamol?" },
          { role: "assistant", content: "Most adults can. Do you take any other medicine?" },
          { role: "user", content: "No. How often can I take it?" },
        ],
      },
      "About a patient, streamed": {
        model: MODEL,
        messages: [{ role: "user", content: "Can I take ibuprofen?" }],
        metadata: { patient_id: PATIENT_ID_EXAMPLE },
        stream: true,
      },
      "In a thread": {
        model: MODEL,
        messages: [{ role: "user", content: "Can I take ibuprofen?" }],
        metadata: { thread_id: THREAD_ID_EXAMPLE },
      },
    },
    success: { Answer: COMPLETION_EXAMPLE },
    stream: [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Ibuprofen can make asthma worse" }),
      chunk({ content: " in some people." }),
      chunk({}, "stop"),
      "data: [DONE]\n\n",
    ].join(""),
    errors: {
      invalid: [
        invalid("tools", "is not supported"),
        invalid("messages.0.role", NO_SYSTEM_MESSAGES),
        invalid("n", "must be 1: there is one answer"),
      ],
    },
  },

  "list-models": {
    tag: "OpenAI-compatible",
    summary: "List the models",
    description: `Returns the assistant as the only model, for clients that let their users choose one. It has the same name whichever model answers.`,
    response: modelList,
    success: { Models: listModels() },
  },

  "get-model": {
    tag: "OpenAI-compatible",
    summary: "Get the model",
    description: "Returns the assistant as a model, for clients that check whether a model exists.",
    id: { description: "The name of the model", example: MODEL },
    response: modelSchema,
    success: { Model: ASSISTANT },
  },
} satisfies Docs<typeof openAiEndpoints>;
