import type { RequestContext } from "../request/request-context.ts";

/**
 * The header of every response that contains text by a model, so that programs can tell (Regulation (EU) 2024/1689,
 * Article 50(2)). Its name and values are those of draft-abaris-aicdh-01, "AI Content Disclosure Header"
 * (docs/decisions.md says why).
 */
export const AI_MARK = "ai-disclosure";

/**
 * Adds the header to the response of a request, in place of an earlier one: a dictionary (RFC 9651, section 3.2).
 * `machine-generated` is the draft's value for text that nobody reviews.
 *
 * @param models the models that wrote parts of the text, or may do so; null for one that is not known. For several, the
 *   value of `model` is an inner list, where the draft knows only a single string. Without any, there is no header
 */
export function setAiMark(
  { responseHeaders }: Pick<RequestContext, "responseHeaders">,
  models: (string | null)[],
): void {
  const names = [...new Set(models.filter((model) => model !== null))].map(structuredString);
  const list = names.length > 1 ? `(${names.join(" ")})` : names[0];
  if (models.length === 0) {
    delete responseHeaders[AI_MARK];
  } else {
    responseHeaders[AI_MARK] = `mode=machine-generated${list === undefined ? "" : `, model=${list}`}`;
  }
}

/** A string of a structured field consists of printable ASCII characters (RFC 9651, section 3.3.3). */
function structuredString(text: string): string {
  return `"${text.replaceAll(/[^ -~]/g, "?").replaceAll(/["\\]/g, "\\$&")}"`;
}
