/**
 * The header of every response that contains text by a model, so that programs can tell (Regulation (EU) 2024/1689,
 * Article 50(2)). Its name and values are those of draft-abaris-aicdh-01, "AI Content Disclosure Header"
 * (docs/decisions.md says why).
 */
export const AI_MARK = "ai-disclosure";

/**
 * Returns the header of a response: a dictionary (RFC 9651, section 3.2). `machine-generated` is the draft's value for
 * text that nobody reviews.
 *
 * @param models the models that wrote parts of the text, or may do so. For several, the value of `model` is an inner
 *   list, where the draft knows only a single string. Without any, there is no header
 */
export function aiMark(models: readonly string[]): Record<string, string> {
  const names = [...new Set(models)].map(structuredString);
  const list = names.length > 1 ? `(${names.join(" ")})` : names[0];
  return list === undefined ? {} : { [AI_MARK]: `mode=machine-generated, model=${list}` };
}

/** A string of a structured field consists of printable ASCII characters (RFC 9651, section 3.3.3). */
function structuredString(text: string): string {
  return `"${text.replaceAll(/[^ -~]/g, "?").replaceAll(/["\\]/g, "\\$&")}"`;
}
