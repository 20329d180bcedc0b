/**
 * Returns the text of a message's content: a string, or a list of typed parts, as Mistral's reasoning models send it
 * (docs.mistral.ai, "Reasoning"). Parts of other types, such as `thinking`, are left out. A provider may send any value
 * where the protocol has a text.
 */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  return parts.map(textOfPart).join("");
}

/** The types of parts that are read; `output_text` is that of OpenAI's Responses API. */
const TEXT_TYPES: unknown[] = ["text", "output_text", undefined];

function textOfPart(part: unknown): string {
  if (typeof part === "string") {
    return part;
  }
  const { type, text } = fieldsOf(part);
  return TEXT_TYPES.includes(type) && typeof text === "string" ? text : "";
}

/**
 * The fields for reasoning beside the content: `reasoning_content` of DeepSeek, llama.cpp and SGLang, `reasoning` of
 * vLLM, OpenRouter, Groq and Ollama, `thinking` of Ollama's own API.
 */
const REASONING_FIELDS = ["reasoning_content", "reasoning", "thinking"];

/** Returns the reasoning that a message has outside its text: in a field of its own, or in a part of that type. */
export function separateReasoning(message: unknown): string {
  const { content, ...fields } = fieldsOf(message);
  const parts = (Array.isArray(content) ? content : []).map(fieldsOf).filter(({ type }) => type === "thinking");
  return [...REASONING_FIELDS.map((name) => fields[name]), ...parts.map(({ thinking }) => thinking)]
    .map(textOfContent)
    .join("");
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
