import type { ModelErrorKind } from "../../shared/model/model-error.ts";

/** What a model's server sends, and what the service makes of it. */
export interface WireForm {
  name: string;
  /** Which servers send it. */
  server: string;
  status: number;
  /** The response to a request without `stream`, and to one with it. */
  json: string;
  stream: string;
  /** The type of content that it states, if it is not that of the protocol. */
  type?: string;
  /** Parameters that the server does not know. It sends this as long as a request has one of them. */
  refuses?: string[];
  /** The answer, the kind of failure, or the kinds in JSON and in a stream. */
  expected: { answer: string } | { failure: ModelErrorKind | [inJson: ModelErrorKind, inStream: ModelErrorKind] };
  /** Whether its tokens are estimated. */
  estimated?: boolean;
}

/** The answer in most forms, and the reasoning, with a level that the model only considers. */
export const ANSWER = "Rest today, and drink water.";
const REASONING = "Is it [[level: emergency stroke]]? No. The user has a headache.";

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const DONE = "data: [DONE]\n\n";

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** A chunk of a streamed answer. */
export function chunk(delta: unknown, finish_reason: unknown = null): string {
  return event({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
}

interface Spoken {
  /** The reason why the answer ends; null for none. */
  reason?: unknown;
  /** Other fields of the message. */
  fields?: object;
  /** `none` for none. */
  usage?: unknown;
  /** What ends a stream. */
  end?: string;
}

/**
 * An answer, as JSON and in chunks.
 *
 * @param content a text, which is streamed in pieces of a few characters, or a list of parts
 */
function spoken(content: unknown, { reason = "stop", fields = {}, usage = USAGE, end = DONE }: Spoken = {}) {
  const message = { role: "assistant", content, ...fields };
  const pieces =
    typeof content === "string" ? (content.match(/.{1,5}/gsu) ?? []) : [content].flat().map((part) => [part]);
  const deltas = [
    { role: "assistant", content: "" },
    ...Object.entries(fields).map(([name, value]) => ({ [name]: value })),
  ];
  return {
    status: 200,
    json: JSON.stringify({
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: reason }],
      ...(usage !== "none" && { usage }),
    }),
    stream: [
      ...[...deltas, ...pieces.map((piece) => ({ content: piece }))].map((delta) => chunk(delta)),
      ...(reason === null ? [] : [chunk({}, reason)]),
      ...(usage === "none" ? [] : [event({ choices: [], usage })]),
      end,
    ].join(""),
  };
}

const form = (
  name: string,
  server: string,
  sent: ReturnType<typeof spoken>,
  expected?: WireForm["expected"],
): WireForm => ({
  name,
  server,
  ...sent,
  expected: expected ?? { answer: ANSWER },
});

/** A text that a server without a parser for its model leaves in the content, and the answer in it. */
const REASONED: [name: string, server: string, content: string, answer?: string][] = [
  ["think tags", "llama.cpp, vLLM, Ollama: DeepSeek, Qwen, GLM", `<think>\n${REASONING}\n</think>\n\n${ANSWER}`],
  [
    "the end of a think block alone",
    "templates that put the tag into the prompt: DeepSeek R1, Qwen",
    `Okay, the user has a headache. ${REASONING}\n</think>\n\n${ANSWER}`,
  ],
  ["an end alone, in Chinese", "the same", `嗯，用户说头痛。${REASONING}</think>${ANSWER}`],
  ["thinking tags", "models that imitate Claude", `<thinking>${REASONING}</thinking>${ANSWER}`],
  ["thought tags", "EXAONE", `<thought>\n${REASONING}\n</thought>\n${ANSWER}`],
  ["reasoning tags", "fine-tuned models", `<reasoning>${REASONING}</reasoning>\n${ANSWER}`],
  [
    "tags in capitals, with attributes and spaces",
    "fine-tuned models",
    `< THINK time="3" >${REASONING}</ Think >${ANSWER}`,
  ],
  ["seed:think tags", "Seed-OSS", `<seed:think>${REASONING}</seed:think>${ANSWER}`],
  ["mm:think tags", "MiniMax M3", `<mm:think>${REASONING}</mm:think>${ANSWER}`],
  ["an mm:think end left over", "MiniMax M3 without reasoning", `</mm:think>${ANSWER}`],
  ["ifm|think tags", "K2 Think V3", `<ifm|think>${REASONING}</ifm|think>${ANSWER}`],
  ["think:opensource tags", "Hunyuan", `<think:opensource>${REASONING}</think:opensource>${ANSWER}`],
  ["think and answer tags", "Hunyuan A13B", `<think>\n${REASONING}\n</think>\n<answer>\n${ANSWER}\n</answer>`],
  ["triangles", "Kimi VL", `◁think▷${REASONING}◁/think▷${ANSWER}`],
  [
    "control tokens of Kimi K3",
    "Kimi K3",
    `<|open|>think<|sep|>${REASONING}<|close|>think<|sep|><|open|>response<|sep|>${ANSWER}<|close|>response<|sep|>`,
  ],
  ["brackets", "Magistral, Mistral Small 4", `[THINK]${REASONING}[/THINK]${ANSWER}`],
  [
    "Harmony's channels",
    "gpt-oss",
    `<|channel|>analysis<|message|>${REASONING}<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}<|return|>`,
  ],
  [
    "Harmony's channels with a tool call",
    "gpt-oss",
    `<|channel|>analysis<|message|>${REASONING}<|end|><|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|><|start|>assistant<|channel|>final<|message|>${ANSWER}`,
  ],
  [
    "the end of Harmony's reasoning alone",
    "templates that put its beginning into the prompt",
    `The user has a headache. ${REASONING}<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}<|return|>`,
  ],
  [
    "Harmony without its control tokens",
    "gpt-oss where special tokens are skipped",
    `analysisThe user has a headache. ${REASONING}assistantfinal${ANSWER}`,
  ],
  ["Gemma's channel", "Gemma 4", `<|channel>thought\n${REASONING}<channel|>${ANSWER}`],
  [
    "START_THINKING",
    "Command A",
    `<|START_THINKING|>${REASONING}<|END_THINKING|><|START_RESPONSE|>${ANSWER}<|END_RESPONSE|>`,
  ],
  [
    "begin_of_thought",
    "Sky-T1",
    `<|begin_of_thought|>${REASONING}<|end_of_thought|>\n<|begin_of_solution|>${ANSWER}<|end_of_solution|>`,
  ],
  ["inner_prefix", "Apertus", `<|inner_prefix|>${REASONING}<|inner_suffix|>${ANSWER}`],
  [
    "content_thinking",
    "Inkling",
    `<|message_model|><|content_thinking|>${REASONING}<|end_message|><|message_model|><|content_text|>${ANSWER}<|end_message|>`,
  ],
  ["reserved tokens", "MedGemma", `<unused94>thought\n${REASONING}<unused95>${ANSWER}`],
  ["reserved tokens in brackets", "Pangu", `[unused16]${REASONING}[unused17]${ANSWER}`],
  ["reserved tokens, of which only the end is there", "the same", `Okay, the user … ${REASONING}<unused95>${ANSWER}`],
  ["control characters by number", "Gemini", `<ctrl94>thought\n${REASONING}<ctrl95>${ANSWER}`],
  ["longcat_think tags", "LongCat Flash", `<longcat_think>\n${REASONING}\n</longcat_think>\n${ANSWER}`],
  ["tags with a word before", "fine-tuned models", `<self-reflection>${REASONING}</self-reflection>${ANSWER}`],
  ["think:start", "Solar Open 2", `<|think:start|>${REASONING}<|think:end|>${ANSWER}`],
  ["think:end alone", "the same", `Okay, the user … ${REASONING}<|think:end|>${ANSWER}`],
  ["think_start", "fine-tuned models", `<|think_start|>${REASONING}<|think_end|>${ANSWER}`],
  [
    "a message that begins with think",
    "Solar Open",
    `<|think|>${REASONING}<|end|><|begin|>assistant<|content|>${ANSWER}<|end|>`,
  ],
  [
    "messages to itself and to the user",
    "Muse Glimmer",
    ` to=self<|message|>${REASONING}<|eom|><|start|>assistant to=user<|message|>${ANSWER}<|eot|>`,
  ],
  [
    "a message to itself, with its role",
    "Muse Glimmer",
    `<|start|>assistant to=self<|message|>${REASONING}<|eom|><|start|>assistant to=user<|message|>${ANSWER}<|eot|>`,
  ],
  ["a message to the user only", "Muse Glimmer", ` to=user<|message|>${ANSWER}<|eot|>`],
  [
    "ChatML with a role that thinks",
    "HyperCLOVA X SEED Think 14B",
    `/think\n${REASONING}<|im_end|>\n<|im_start|>assistant\n${ANSWER}<|im_end|>`,
  ],
  ["sentences", "Granite 3", `Here is my thought process: ${REASONING}\n\nHere is my response: ${ANSWER}`],
  [
    "Open WebUI's details",
    "Open WebUI",
    `<details type="reasoning" done="true">\n<summary>Thought for 3 seconds</summary>\n> ${REASONING}\n</details>\n${ANSWER}`,
  ],
  ["what Ollama's command line prints", "wrappers of it", `Thinking...\n${REASONING}\n...done thinking.\n\n${ANSWER}`],
  ["nested blocks", "QwQ", `<think>One <think>${REASONING}</think> ${REASONING}</think>${ANSWER}`],
  [
    "a block after the answer has begun",
    "models that interleave",
    `<think>a</think>Rest today,\n<think>${REASONING}</think>\nand drink water.`,
    "Rest today,\n\nand drink water.",
  ],
  ["an empty block", "Qwen 3 with thinking off", `<think>\n\n</think>\n\n${ANSWER}`],
  ...["<|im_end|>", "</s>", "<end_of_turn>", "<turn|>", "<|eot_id|>", "<｜end▁of▁sentence｜>", "[|endofturn|]"].map(
    (token): [string, string, string] => [
      `${token} at the end`,
      "llama.cpp with another model's template",
      ANSWER + token,
    ],
  ),
  ...[
    ["ChatML", "<|im_end|>\n<|im_start|>user\nAnd my leg?<|im_end|>\n<|im_start|>assistant\n"],
    ["ChatML without ends", "\n<|im_start|>user\nAnd my leg?\n<|im_start|>assistant\n"],
    ["Phi 4", "<|im_start|>user<|im_sep|>And my leg?<|im_end|><|im_start|>assistant<|im_sep|>"],
    ["Phi 3, GLM", "\n<|user|>\nAnd my leg?\n<|assistant|>\n"],
    ["Llama 2, Mistral", "</s>[INST] And my leg? [/INST] "],
    ["Mistral", "[INST] And my leg? [/INST] "],
    ["Llama 3", "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnd my leg?<|eot_id|>"],
    ["Llama 4", "<|header_start|>user<|header_end|>\n\nAnd my leg?<|eot|>"],
    ["Gemma 3", "<end_of_turn>\n<start_of_turn>user\nAnd my leg?<end_of_turn>\n<start_of_turn>model\n"],
    ["Gemma 4", "\n<|turn>user\nAnd my leg?<turn|>\n<|turn>model\n"],
    ["DeepSeek", "<｜end▁of▁sentence｜><｜User｜>And my leg?<｜Assistant｜>"],
    ["Kimi K2", "<|im_user|>user<|im_middle|>And my leg?<|im_end|><|im_assistant|>assistant<|im_middle|>"],
    ["Granite 3", "<|start_of_role|>user<|end_of_role|>And my leg?"],
    ["Harmony", "<|end|><|start|>user<|message|>And my leg?<|end|><|start|>assistant<|message|>"],
    ["base models", "<|endoftext|>Human: And my leg?\n\nAssistant: "],
  ].map(([template, turn]): [string, string, string] => [
    `a question that the model invents: ${template}`,
    "a server without the model's end token",
    `${ANSWER}${turn}Take two tablets.`,
  ]),
  [
    "the question first",
    "a server that repeats the prompt",
    `<|im_start|>user\nMy head hurts.<|im_end|>\n<|im_start|>assistant\n${ANSWER}<|im_end|>`,
  ],
  [
    "a tool that nobody offers, and an answer",
    "Qwen, Hermes",
    `<tool_call>\n{"name": "search"}\n</tool_call>\n${ANSWER}`,
  ],
  [
    "words that are struck out",
    "any",
    `Take <s>two</s> one, for <user> or [1]. ${ANSWER}`,
    `Take <s>two</s> one, for <user> or [1]. ${ANSWER}`,
  ],
  [
    "a tag in marks of code",
    "any",
    `Models write \`<think>\` first.\n\`\`\`\n<think>x</think>\n\`\`\`\n${ANSWER}`,
    `Models write \`<think>\` first.\n\`\`\`\n<think>x</think>\n\`\`\`\n${ANSWER}`,
  ],
  [
    "a tag in the middle of a sentence",
    "any",
    `The tag <think> opens it, and </think> closes it. ${ANSWER}`,
    `The tag <think> opens it, and </think> closes it. ${ANSWER}`,
  ],
  [
    "signs that are no tags",
    "any",
    `If your pulse is < 50 or > 120 <b>now</b> [1], call. ${ANSWER}`,
    `If your pulse is < 50 or > 120 <b>now</b> [1], call. ${ANSWER}`,
  ],
  [
    "words that some marks have in them",
    "any",
    `Go to=rest and/think\nof water, [unused] or <unused>. ${ANSWER}`,
    `Go to=rest and/think\nof water, [unused] or <unused>. ${ANSWER}`,
  ],
];

const UNFINISHED: [name: string, content: string, reason: string, failure: ModelErrorKind][] = [
  ["a block that never ends", `<think>${REASONING}`, "stop", "empty"],
  ["a block that never ends, cut off", `<think>${REASONING}`, "length", "truncated"],
  ["reasoning without a beginning, cut off", `Okay, the user has a headache. ${REASONING}`, "length", "truncated"],
  ["a channel that never ends", `<|channel|>analysis<|message|>${REASONING}`, "stop", "empty"],
  ["a tool that nobody offers", `<tool_call>\n{"name": "search"}\n</tool_call>`, "stop", "empty"],
  ["reasoning again after the answer, which never ends", `${ANSWER}\n<think>${REASONING}`, "stop", "truncated"],
];

export const REASONING_FORMS: WireForm[] = [
  ...REASONED.map(([name, server, content, answer = ANSWER]) => form(name, server, spoken(content), { answer })),
  ...UNFINISHED.map(([name, content, reason, failure]) => form(name, "any", spoken(content, { reason }), { failure })),
  ...["reasoning_content", "reasoning", "thinking"].map((field) =>
    form(`the field ${field}`, "servers with a parser", spoken(ANSWER, { fields: { [field]: REASONING } })),
  ),
];

/** The reasons of each server that say that an answer is complete; null where it sends none. */
const COMPLETE: [reason: unknown, server: string][] = [
  ["stop", "OpenAI and most others"],
  ["end_turn", "Anthropic, Bedrock"],
  ["stop_sequence", "Anthropic, Bedrock, TGI"],
  ["STOP", "Gemini's own API"],
  ["COMPLETE", "Cohere"],
  ["STOP_SEQUENCE", "Cohere"],
  ["eos", "Together"],
  ["eos_token", "TGI"],
  ["eosFound", "LM Studio's own API"],
  ["FINISH", "Amazon Titan"],
  [null, "servers without reasons"],
  ["", "servers without reasons"],
];

/** The reasons that say anything else. */
const ABNORMAL: [reason: unknown, server: string, failure: ModelErrorKind][] = [
  ["length", "OpenAI and most others", "truncated"],
  ["max_tokens", "Anthropic, Bedrock", "truncated"],
  ["MAX_TOKENS", "Gemini, Cohere", "truncated"],
  ["model_length", "Mistral", "truncated"],
  ["model_context_window_exceeded", "Anthropic, GLM", "truncated"],
  ["content_filter", "OpenAI, Azure", "content-filter"],
  ["content_filtered", "Bedrock", "content-filter"],
  ["guardrail_intervened", "Bedrock", "content-filter"],
  ["SAFETY", "Gemini", "content-filter"],
  ["RECITATION", "Gemini", "content-filter"],
  ["sensitive", "GLM", "content-filter"],
  ["refusal", "Anthropic", "refusal"],
  ["error", "Mistral, OpenRouter, vLLM", "server"],
  ["ERROR", "Cohere", "server"],
  ["network_error", "GLM", "server"],
  ["insufficient_system_resource", "DeepSeek", "server"],
  ["abort", "vLLM, SGLang", "server"],
  ["timeout", "TGI, Cohere", "timeout"],
  ["tool_calls", "any", "truncated"],
  ["function_call", "any", "truncated"],
  ["pause_turn", "Anthropic", "truncated"],
  ["repetition", "vLLM", "truncated"],
  ["OTHER", "Gemini", "truncated"],
  ["none", "llama.cpp", "truncated"],
  ["something-new", "any", "truncated"],
];

/** What an answer says that must never end there. */
export const CUT = "Take one tablet. Never take it with";

export const ENDING_FORMS: WireForm[] = [
  ...COMPLETE.map(([reason, server]) =>
    form(`the reason ${JSON.stringify(reason)}`, server, spoken(ANSWER, { reason })),
  ),
  ...ABNORMAL.map(([reason, server, failure]) =>
    form(`the reason ${JSON.stringify(reason)}`, server, spoken(CUT, { reason }), { failure }),
  ),
  {
    ...form(
      "no reason, and no end of the stream",
      "a server that is restarted",
      spoken(CUT, { reason: null, end: "" }),
    ),
    json: spoken(CUT).json.slice(0, -40),
    expected: { failure: ["malformed", "connection"] },
  },
];

const thinking = { type: "thinking", thinking: [{ type: "text", text: REASONING }], closed: true };
const text = (value: string) => ({ type: "text", text: value });

export const CONTENT_FORMS: WireForm[] = [
  form("a list with a text", "Mistral", spoken([text(ANSWER)])),
  form("a list with thinking and a text", "Magistral, Mistral Medium", spoken([thinking, text(ANSWER)])),
  form("a list with several texts", "Mistral", spoken([text("Rest today,"), thinking, text(" and drink water.")])),
  form("a list with texts as such", "proxies", spoken(["Rest today,", " and drink water."])),
  form(
    "a list with unknown parts",
    "Mistral, with references",
    spoken([text(ANSWER), { type: "reference", reference_ids: [1] }, null]),
  ),
  form("an object with a text", "proxies", spoken(text(ANSWER))),
  form("a list with nothing but thinking", "Magistral", spoken([thinking]), { failure: "empty" }),
  { ...form("plain text as its type", "proxies", spoken(ANSWER)), type: "text/plain; charset=utf-8" },
  {
    ...form("JSON for a stream", "servers that do not stream", spoken(ANSWER)),
    stream: spoken(ANSWER).json,
    type: "application/json",
  },
  {
    ...form("two answers", "servers that ignore n", spoken(ANSWER)),
    json: JSON.stringify({
      choices: [2, 5].map((index) => ({
        index,
        message: { content: index === 2 ? ANSWER : CUT },
        finish_reason: "stop",
      })),
      usage: USAGE,
    }),
    stream: [
      ...["Rest today,", " and drink water."].flatMap((content) => [
        event({ choices: [{ index: 2, delta: { content }, finish_reason: null }] }),
        event({ choices: [{ index: 5, delta: { content: CUT }, finish_reason: null }] }),
      ]),
      event({ choices: [{ index: 2, delta: {}, finish_reason: "stop" }], usage: USAGE }),
      DONE,
    ].join(""),
  },
];

const error = (value: unknown) => event({ error: value });
const PROBLEM = { message: "CUDA out of memory", type: "InternalServerError", param: null, code: 500 };

/** A response with status 200 that turns out to be none. */
function broken(name: string, server: string, stream: string, failure: ModelErrorKind): WireForm {
  return {
    name,
    server,
    status: 200,
    json: JSON.stringify({ error: PROBLEM }),
    stream,
    expected: { failure: ["malformed", failure] },
  };
}

const WORDS = chunk({ content: "Take one" });

export const ERROR_FORMS: WireForm[] = [
  broken("an error object", "vLLM, SGLang", error(PROBLEM), "server"),
  broken("words and an error object", "OpenAI, vLLM, SGLang", WORDS + error(PROBLEM) + DONE, "server"),
  broken("an error as text", "Ollama, TGI", WORDS + error("model runner has unexpectedly stopped"), "server"),
  broken(
    "an event named error",
    "Anthropic",
    `${WORDS}event: error\n${error({ type: "overloaded_error", message: "Overloaded" })}`,
    "server",
  ),
  broken(
    "an error beside the reason error",
    "OpenRouter",
    WORDS +
      event({
        error: { code: 502, message: "disconnected" },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      }),
    "server",
  ),
  ...[
    { object: "error", message: "CUDA out of memory", type: "InternalServerError", param: null, code: 500 },
    { detail: "Internal Server Error" },
    { errors: [{ code: 3040, message: "Capacity temporarily exceeded" }] },
    { error_code: 336100, error_msg: "the service is busy" },
    { message: "An internal error occurred", status: 500 },
  ].map((problem) => ({
    ...broken(
      `an error of its own: ${Object.keys(problem).join(", ")}`,
      "older vLLM, FastAPI, Cloudflare, Baidu, proxies",
      WORDS + event(problem) + DONE,
      "connection",
    ),
    json: JSON.stringify(problem),
  })),
  {
    ...broken(
      "an error in the choice",
      "OpenRouter",
      WORDS + event({ choices: [{ index: 0, delta: {}, finish_reason: null, error: PROBLEM }] }) + DONE,
      "server",
    ),
    json: JSON.stringify({ choices: [{ index: 0, message: { content: CUT }, finish_reason: null, error: PROBLEM }] }),
    expected: { failure: "server" as const },
  },
  {
    ...broken("an error beside an answer", "proxies", WORDS + error(PROBLEM) + DONE, "server"),
    json: JSON.stringify({ error: PROBLEM, choices: [{ index: 0, message: { content: CUT }, finish_reason: "stop" }] }),
    expected: { failure: "server" as const },
  },
  broken(
    "a chunk that is no JSON",
    "a server that is restarted",
    `${WORDS}data: {"choices": [{"delta"\n\n`,
    "malformed",
  ),
  broken("a page", "a proxy", "<html><body>502 Bad Gateway</body></html>", "malformed"),
  broken(
    "more than an answer may have",
    "a model that repeats itself",
    chunk({ content: "word ".repeat(13_000) }),
    "truncated",
  ),
  broken("nothing", "a server that is restarted", "", "malformed"),
];

/** Refusals of parameters, as a function of their names. */
const REFUSALS: [
  name: string,
  server: string,
  status: number,
  body: (names: string[]) => unknown,
  ...refused: string[][],
][] = [
  [
    "detail with loc",
    "Mistral, FastAPI",
    422,
    (names) => ({
      detail: names.map((name) => ({
        type: "extra_forbidden",
        loc: ["body", name],
        msg: "Extra inputs are not permitted",
        input: false,
      })),
    }),
    ["store", "max_completion_tokens"],
  ],
  [
    "the same, of an older version",
    "FastAPI",
    422,
    (names) => ({
      detail: names.map((name) => ({
        loc: ["body", name],
        msg: "extra fields not permitted",
        type: "value_error.extra",
      })),
    }),
    ["store"],
  ],
  [
    "an object without error",
    "Mistral",
    422,
    (names) => ({
      object: "error",
      message: {
        detail: names.map((name) => ({
          type: "extra_forbidden",
          loc: ["body", name],
          msg: "Extra inputs are not permitted",
        })),
      },
      type: "invalid_request_error",
      param: null,
    }),
    ["store", "max_completion_tokens"],
  ],
  [
    "param",
    "OpenAI, Azure",
    400,
    ([name]) => ({
      error: {
        message: `Unrecognized request argument supplied: ${name}`,
        type: "invalid_request_error",
        param: name,
        code: null,
      },
    }),
    ["max_completion_tokens"],
    ["store"],
    ["stream_options"],
  ],
  [
    "the text alone",
    "Azure, older versions",
    400,
    ([name]) => ({
      error: { message: `Unrecognized request argument supplied: ${name}`, type: "invalid_request_error", param: null },
    }),
    ["store"],
    ["max_completion_tokens"],
  ],
  [
    "the text, quoted",
    "Groq",
    400,
    ([name]) => ({ error: { message: `property '${name}' is unsupported`, type: "invalid_request_error" } }),
    ["store"],
  ],
  [
    "several in one text",
    "Cohere",
    400,
    (names) => ({ message: `unsupported parameters: ${names.join(", ")}` }),
    ["store", "stream_options", "max_completion_tokens"],
  ],
  [
    "a path before the text",
    "Anthropic",
    400,
    ([name]) => ({
      type: "error",
      error: { type: "invalid_request_error", message: `${name}: Extra inputs are not permitted` },
    }),
    ["store"],
  ],
  [
    "a list",
    "Gemini",
    400,
    ([name]) => [
      {
        error: {
          code: 400,
          message: `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`,
          status: "INVALID_ARGUMENT",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: [
                { description: `Invalid JSON payload received. Unknown name "${name}": Cannot find field.` },
              ],
            },
          ],
        },
      },
    ],
    ["store"],
  ],
  [
    "an error as text",
    "TGI, Ollama",
    422,
    ([name]) => ({
      error: `unknown field \`${name}\`, expected one of \`messages\`, \`max_tokens\``,
      error_type: "validation",
    }),
    ["store"],
  ],
  [
    "an object without error, of vLLM",
    "vLLM",
    400,
    ([name]) => ({
      object: "error",
      message: `[{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted'}]`,
      type: "BadRequestError",
      param: null,
      code: 400,
    }),
    ["store"],
  ],
  [
    "UnsupportedParamsError",
    "LiteLLM",
    500,
    (names) => ({
      error: {
        message: `litellm.UnsupportedParamsError: openai does not support parameters: ${JSON.stringify(names)}, for model=some-model. To drop these, set \`litellm.drop_params=True\`.`,
        type: "None",
        param: "None",
        code: "500",
      },
    }),
    ["store", "max_completion_tokens"],
  ],
  [
    "JSON in the text",
    "Mistral, older versions",
    422,
    (names) => ({
      object: "error",
      message: JSON.stringify({ detail: names.map((name) => ({ type: "extra_forbidden", loc: ["body", name] })) }),
      type: "internal_error_proxy",
      param: null,
      code: "1000",
    }),
    ["store", "max_completion_tokens"],
  ],
  [
    "text that is no JSON",
    "a proxy",
    400,
    ([name]) => `Bad request: parameter ${name} is not supported\n`,
    ["max_completion_tokens"],
  ],
];

export const REFUSAL_FORMS: WireForm[] = REFUSALS.flatMap(([name, server, status, body, ...refused]) =>
  refused.map((refuses) => {
    const said = body(refuses);
    const sent = typeof said === "string" ? said : JSON.stringify(said);
    return {
      ...form(`a refusal of ${refuses.join(", ")}: ${name}`, server, { status, json: sent, stream: sent }),
      refuses,
    };
  }),
);

export const USAGE_FORMS: WireForm[] = [
  form("usage", "OpenAI and most others", spoken(ANSWER)),
  ...(
    [
      ["no usage", "proxies", "none"],
      ["usage null", "proxies", null],
      ["usage of zero", "proxies", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
      ["usage that is none", "proxies", { prompt_tokens: -1, completion_tokens: "many" }],
    ] as const
  ).map(([name, server, usage]) => ({
    ...form(name, server, spoken(ANSWER, { usage })),
    estimated: true,
  })),
];

/** Responses of models' servers, after their documentation and public reports (docs/models.md); a new form is a row. */
export const WIRE_FORMS: WireForm[] = [
  ...REASONING_FORMS,
  ...ENDING_FORMS,
  ...CONTENT_FORMS,
  ...ERROR_FORMS,
  ...REFUSAL_FORMS,
  ...USAGE_FORMS,
];

/** The response of a form to a request. */
export function responseTo(
  sent: WireForm,
  request: Record<string, unknown>,
): { status: number; type: string; body: string } {
  const accepted: Pick<WireForm, "status" | "json" | "stream" | "type"> =
    sent.refuses && !sent.refuses.some((name) => name in request) ? spoken(ANSWER) : sent;
  const isStream = request.stream === true && accepted.status === 200;
  return {
    status: accepted.status,
    type: accepted.type ?? (isStream ? "text/event-stream" : "application/json"),
    body: isStream ? accepted.stream : accepted.json,
  };
}
