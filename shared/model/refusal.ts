/** What an error response says, in whichever shape. */
export interface Refusal {
  code: string;
  type: string;
  /** All that it says in words, without what it repeats of the request. */
  message: string;
  /** The parameters that it names in fields, such as `param` or `detail[].loc`. */
  fields: string[];
}

/** The longest body that is read: FastAPI repeats the whole request in an error. */
const LONGEST_BODY = 256 * 1024;

/** The fields with words. Others are not read, because they may repeat the request, as FastAPI's `input` does. */
const WORDS = ["message", "msg", "detail", "details", "error", "errors", "reason", "title", "description", "raw"];

/** The fields that name a parameter: OpenAI's, FastAPI's and Google's. */
const NAMES = ["param", "loc", "field", "fieldViolations", "parameter", "instancePath"];

/**
 * Reads the body of an error response: OpenAI's `{error: {message, code, param}}`, the same without `error` (vLLM,
 * Mistral), in a list (Gemini), `error` as a text (Ollama, TGI), FastAPI's `detail` with a list or a text, or any text.
 */
export function readRefusal(body: string): Refusal {
  const parsed = parse(body.slice(0, LONGEST_BODY));
  const [first] = Array.isArray(parsed) ? parsed : [parsed];
  const inner = isRecord(first) && isRecord(first.error) ? first.error : first;
  const { code, type, status } = isRecord(inner) ? inner : {};
  const said: string[] = [];
  const named: string[] = [];
  collect(parsed, said, named);
  return { code: textIn(code ?? status), type: textIn(type), message: said.join(" "), fields: named };
}

/** The deepest nesting that is read. */
const DEEPEST = 8;

function collect(value: unknown, said: string[], named: string[], depth = 0): void {
  if (typeof value === "string") {
    said.push(value);
  } else if (Array.isArray(value)) {
    for (const each of value) {
      collect(each, said, named, depth + 1);
    }
  } else if (isRecord(value) && depth < DEEPEST) {
    for (const [name, each] of Object.entries(value)) {
      if (NAMES.includes(name)) {
        collect(each, named, named, depth + 1);
      } else if (WORDS.includes(name)) {
        collect(each, said, named, depth + 1);
      }
    }
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
