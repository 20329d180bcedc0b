/** @import { ThreadMessage } from "./client.js" */
/** @import { Safety } from "./schemas.d.ts" */

/**
 * What a piece of a streamed answer is if it is not the model's own words: the fixed text of an alert, or a caution.
 *
 * @typedef {{ kind: "emergency" | "crisis", category: Safety["category"] }
 *   | { kind: "caution", caution: Safety["cautions"][number] }} Finding
 */

/** What separates the parts of an answer. */
const BETWEEN = "\n\n";

const RANKS = { none: 0, crisis: 1, emergency: 2 };

/**
 * Divides a streamed answer into fixed texts, the model's own words and cautions. The events say which is which: the
 * piece after a higher certain level is the fixed text, and the pieces after cautions are the cautions.
 */
export class AnswerPieces {
  #rank = RANKS.none;
  /** @type {Finding[]} */
  #expected = [];

  /**
   * Takes an event `safety`.
   *
   * @param {Safety} safety
   */
  noteSafety({ level, category, certainty, cautions }) {
    if (level !== "none" && certainty === "certain" && RANKS[level] > this.#rank) {
      this.#rank = RANKS[level];
      this.#expected = [{ kind: level, category }];
    }
    if (cautions.length > 0) {
      this.#expected = cautions.map((caution) => ({ kind: "caution", caution }));
    }
  }

  /**
   * Takes the text of an event `delta`.
   *
   * @param {string} text
   * @returns {{ text: string, finding?: Finding }[]} usually one piece; more for a repeated answer, whose cautions arrive
   *   together
   */
  take(text) {
    const finding = this.#expected.shift();
    if (finding?.kind !== "caution") {
      return [finding ? { text: text.trim(), finding } : { text }];
    }
    const [caution = "", ...rest] = text.trim().split(BETWEEN);
    const after = rest.join(BETWEEN);
    return [{ text: caution, finding }, ...(after === "" ? [] : this.take(after))];
  }
}

/**
 * Divides a stored answer into the same pieces as when it was streamed.
 *
 * @param {ThreadMessage} message read with `include: "safety"`; without findings, it is one piece
 * @returns {{ text: string, finding?: Finding }[]}
 */
export function storedPieces({ content, safety }) {
  const { level = "none", category = null, cautions = [] } = safety ?? {};
  const alertText = (level !== "none" && safety?.alertText) || "";
  const cautionTexts = cautions.map(({ text }) => text).join(BETWEEN);
  const start = content.indexOf(alertText);
  const end = content.lastIndexOf(cautionTexts); // the model may have repeated them before
  return [
    ...words(content.slice(0, start)),
    ...(level !== "none" && alertText !== "" ? [{ text: alertText, finding: { kind: level, category } }] : []),
    ...words(content.slice(start + alertText.length, end)),
    ...cautions.map(({ text, ...caution }) => ({ text, finding: /** @type {const} */ ({ kind: "caution", caution }) })),
    ...words(content.slice(end + cautionTexts.length)),
  ];
}

/** @param {string} text nothing is left of what only separates other pieces */
function words(text) {
  return text.trim() === "" ? [] : [{ text: text.trim() }];
}
