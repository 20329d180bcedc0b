import type { Language } from "./screening.ts";
import { unicode } from "./unicode.ts";

/** A message with fewer words may be in any language, unless its script is in none that the screen reads. */
const FEWEST_WORDS = 4;

/** Words surrounded by punctuation only: not a number, code or address. */
const WORD = unicode("(?<!\\S)[^\\p{L}\\d\\s]*[\\p{L}\\p{M}'’]+[^\\p{L}\\d\\s]*(?!\\S)", "g");
const OTHER_SCRIPT = unicode("[^\\P{L}\\p{Script=Latin}]");

/**
 * Whether a message may be in a language that the screen has no rules for, because a library does not agree on its
 * language: to frequent words, Italian looks like Spanish. It only decides whether the user is told whom to call when
 * no model can answer, so the library, which takes 160 ms of CPU time and 90 MB, is not loaded before.
 *
 * @param language as the screen recognized it
 */
export async function isUnreadLanguage(message: string, language: Language): Promise<boolean> {
  const words = message.match(WORD()) ?? [];
  const text = words.join(" ");
  if (words.length < FEWEST_WORDS && (language !== "en" || !OTHER_SCRIPT().test(text))) {
    return false;
  }
  const { eld } = await import("eld/extrasmall");
  const found = eld.detect(text).language;
  return found !== "" && !language.startsWith(found);
}
