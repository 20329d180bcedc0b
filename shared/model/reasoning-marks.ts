/**
 * The marks with which models set off their reasoning from their answer. A server without a parser for its model leaves
 * them in the content. They are those of the reasoning parsers of vLLM (`vllm/reasoning`) and SGLang
 * (`srt/parser/reasoning_parser.py`) and of Open WebUI's list of tags, as of November 2026 (docs/models.md).
 */
export type Mark =
  /** Begins reasoning, up to the end of the same family. */
  | { kind: "open"; family: string }
  /** The same, if nothing is before it. */
  | { kind: "first"; family?: string }
  /** Ends it. If nothing began it, the prompt did, and all before this is reasoning. */
  | { kind: "close"; family: string }
  /** A control token, which is never text. */
  | { kind: "control"; name: string }
  /** A tag around the answer itself. */
  | { kind: "wrapper" };

/** The words of tags for reasoning. Those of a row close each other. */
const WORDS = [
  ["think", "thinking", "thought", "thoughts", "thought_process", "thinking_process", "antthinking", "ant_thinking"],
  ["reason", "reasoning", "rationale"],
  ["reflect", "reflection", "self_reflection"],
  ["analysis", "scratchpad", "scratch_pad", "monologue", "inner_monologue", "inner_thoughts", "inner_voice"],
  ["cot", "chain_of_thought", "deliberation", "planning", "internal", "brainstorm"],
  ["tool_call", "tool_calls", "function_call", "function_calls", "tool_code", "tool_response"], // calls of tools that nobody offers
];
const familyOfWord = new Map(WORDS.flatMap((row) => row.map((word) => [word, String(row[0])])));

/** The words of tags around the answer. */
const WRAPPERS = ["answer", "response", "final", "final_answer", "final_response", "output", "solution", "reply"];

/** What a word of several parts has in it, if it is about reasoning: `longcat_think`, `self_reflection`. */
const CORE = /(?:^|_)(?:think|thinking|thought|reasoning|reflection)(?:_|$)/;

/** The parts of a control token about reasoning that say that it begins or ends it. */
const BEGINS = /(?:^|_)(?:begin|start|open|prefix)(?:_|$)/;
const ENDS_IT = /^\/|(?:^|_)(?:end|stop|close|suffix)(?:_|$)/;

/** The family of reasoning in a message of its own, which the token that ends a message ends as well. */
export const MESSAGE = "message";

/**
 * A tag, in any case and with attributes: `<think>`, `</think>`, `<seed:think>`, `<mm:think>`, `<think:opensource>`,
 * `<ifm|think>`, `◁think▷`.
 */
const TAG = String.raw`(?:<|◁|&lt;)\s?(?<slash>\/?)\s?(?:(?<space>[a-z]{2,8})[:|])?(?<word>[a-z]{3,14}(?:[_-][a-z]{2,14}){0,2})(?::[a-z]{2,12})?(?<rest>\s[^<>]{0,80}?)?\s?(?<empty>\/?)(?:>|▷|&gt;)`;

/**
 * Tokens that a tokenizer has in reserve, of which a model uses two neighbours: `<unused94>` and `<unused95>` of MedGemma,
 * `[unused16]` and `[unused17]` of Pangu, `<ctrl94>` and `<ctrl95>` of Gemini.
 */
const RESERVED = String.raw`[<[](?:unused|ctrl)_?(?<reserved>\d{1,3})[>\]]`;

/** `[THINK]`, of Mistral's models. */
const BRACKETS = String.raw`\[(?<ofBrackets>\/?)(?:think|thinking|reasoning|thought)\]`;

/** A control token: `<|channel|>`, `<|channel>`, `<channel|>`, `<｜end▁of▁sentence｜>`, `</s>`. */
const CONTROL = String.raw`<(?<left>[|｜]?)(?<control>\/?[a-z][a-z0-9_▁: -]{0,40})(?<right>[|｜]?)>`;

/** Control tokens without bars, of Llama 2, Mistral and Gemma. */
const WITHOUT_BARS = ["s", "/s", "bos", "eos", "pad", "start_of_turn", "end_of_turn"];

/** `[INST]` and `[/INST]`, of Mistral's models, and `[|endofturn|]`, of EXAONE. */
const SQUARE = String.raw`\[(?<inst>\/?inst)\]|\[\|(?<square>[a-z_]{3,20})\|\]`;

/**
 * Granite's sentences; what Ollama's command line prints; Harmony without its control tokens; to whom Muse Glimmer says the
 * first message; how HyperCLOVA X 14B begins.
 */
const PHRASE = String.raw`Here(?:'s| is|’s) my (?<granite>thought process|response):|\.\.\.done (?<ollama>thinking)\.|(?<bare>assistantfinal)|(?<first>to=(?:self|user)(?=<\|message\|>)|\/think\r?\n)`;

export const MARK = new RegExp(`${PHRASE}|${BRACKETS}|${SQUARE}|${RESERVED}|${TAG}|${CONTROL}`, "giu");

/** The maximum length of a mark. */
export const LONGEST_MARK = 160;

/**
 * Returns what a match of {@link MARK} is.
 *
 * @returns undefined if it is only text
 */
export function markOf({ groups = {} }: RegExpExecArray): Mark | undefined {
  const {
    granite,
    ollama,
    bare,
    first,
    reserved,
    ofBrackets,
    inst,
    square,
    space,
    word,
    slash,
    rest = "",
    empty,
    left,
    control,
    right,
  } = groups;
  if (granite) {
    return { kind: granite.startsWith("t") ? "open" : "close", family: "granite" };
  }
  if (ollama || bare) {
    return { kind: "close", family: ollama ? "ollama" : "bare" };
  }
  if (first) {
    return /user/i.test(first) ? { kind: "first" } : { kind: "first", family: MESSAGE };
  }
  if (reserved) {
    const number = Number(reserved);
    return { kind: number % 2 === 0 ? "open" : "close", family: `reserved ${Math.floor(number / 2)}` };
  }
  if (ofBrackets !== undefined) {
    return { kind: ofBrackets === "" ? "open" : "close", family: "brackets" };
  }
  if (word) {
    const mark = (name: string) => ofTag(name.toLowerCase().replaceAll("-", "_"), slash === "/", rest, empty === "/");
    return mark(word) ?? (space ? mark(space) : isWithoutBars(word) ? ofControl(word, false, false) : undefined);
  }
  const name = inst ?? square;
  if (name) {
    return { kind: "control", name: name.toLowerCase() };
  }
  return control && (left || right || isWithoutBars(control))
    ? ofControl(control, left !== "", right !== "")
    : undefined;
}

function isWithoutBars(name: string): boolean {
  return WITHOUT_BARS.includes(name.toLowerCase());
}

function ofTag(word: string, closes: boolean, attributes: string, isEmpty: boolean): Mark | undefined {
  const isReasoning = word === "details" && (closes || /type\s*=\s*["']?reasoning/i.test(attributes)); // Open WebUI's
  const family = isReasoning ? "details" : (familyOfWord.get(word) ?? (CORE.test(word) ? word : undefined));
  if (family !== undefined && !isEmpty) {
    return { kind: closes ? "close" : "open", family };
  }
  return family !== undefined || WRAPPERS.includes(word) ? { kind: "wrapper" } : undefined;
}

function ofControl(control: string, left: boolean, right: boolean): Mark {
  const name = control.toLowerCase().replaceAll(/[ ▁:-]/g, "_");
  if (name === "channel" && left !== right) {
    return { kind: left ? "open" : "close", family: "channel" }; // Gemma 4's: <|channel>thought … <channel|>
  }
  if (name === "turn" && left !== right) {
    return { kind: "control", name: left ? "start_of_turn" : "end_of_turn" }; // Gemma 4's: <|turn>user … <turn|>
  }
  if (!CORE.test(name.replace("/", "")) && !name.startsWith("inner_")) {
    return { kind: "control", name };
  }
  const begins = BEGINS.test(name) || /^(?:think|thinking|thought|reasoning)$/.test(name);
  return ENDS_IT.test(name)
    ? { kind: "close", family: MESSAGE }
    : begins
      ? { kind: "open", family: MESSAGE }
      : { kind: "control", name };
}

/**
 * Returns where a mark may have begun at the end of a text; the text's length if nowhere.
 *
 * @param before whether the phrases that count only before the answer has begun do
 */
export function beginningOfMark(text: string, before = false): number {
  const from = Math.max(0, text.length - LONGEST_MARK);
  for (let at = from; at < text.length; at++) {
    if ((STARTS.includes(text.charAt(at)) && PARTIAL.test(text.slice(at))) || (before && BEFORE.test(text.slice(at)))) {
      return at;
    }
  }
  return text.length;
}

const STARTS = "<◁&[Hh";

/** The beginnings of marks. */
const PARTIAL = new RegExp(
  [
    String.raw`^(?:<|◁|&l?t?;?)\s?\/?\s?[a-z0-9_:|-]{0,30}\s?\/?(?:&g?t?;?)?$`,
    String.raw`^(?:<|◁|&lt;)\s?\/?\s?(?:[a-z]{2,8}[:|])?(?:${[...familyOfWord.keys(), "details"].join("|")})\s[^<>]{0,80}$`,
    "^<[|｜][a-z0-9_▁: /|｜-]{0,44}$",
    String.raw`^\[\/?[a-z]{0,9}\d{0,3}$`,
    String.raw`^\[\|[a-z_]{0,20}\|?$`,
    `^(?:${prefixesOf("here is my thought process:")}|${prefixesOf("here's my thought process:")}|${prefixesOf("here’s my thought process:")})$`,
  ].join("|"),
  "iu",
);

/** The beginnings of phrases that count only before the answer has begun. */
const BEFORE = new RegExp(
  `^(?:${["assistantfinal", "\\.\\.\\.done thinking\\.", "to=self<\\|message\\|>", "to=user<\\|message\\|>", "/think\n"].map(prefixesOf).join("|")})$`,
  "i",
);

/** A pattern for a text and all its beginnings. */
function prefixesOf(text: string): string {
  const letters = text.match(/\\?./gs) ?? [];
  return letters.reduceRight((rest, letter) => `${letter}(?:${rest})?`, "");
}
