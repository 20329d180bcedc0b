import type { Language } from "../alerts.ts";
import { patternsIn } from "../data-file.ts";
import { plainLetters, sentencesOf } from "../words/words.ts";
import { deniesIn } from "./language-rules.ts";
import { denies } from "./rules.ts";

/** The end of a clause, at which the reach of a denial ends. */
const CLAUSE_END =
  /[.,;:!?…。，！？；、،؛؟\n]|\b(?:and|but|after|because|since|when|while|now|then|he|she|they|it|i|we)\b/;

/** A denial reaches a few words; so many letters of a clause are read, whatever its length. */
const REACH = 120;

/** A text with more signs of a kind is no ordinary message: its denials are not read, so that the work is bounded. */
export const MOST_SIGNS = 50;

/** Whether a clause has a negation that is itself a sign, by language. */
const isSign = patternsIn("denials.json", plainLetters);

/**
 * Whether what stands at a place of a text is denied: "I don't have chest pain". A negation that is itself a sign, as
 * in "does not respond" (`data/denials.json`), denies nothing in its clause.
 *
 * @param text as {@link plainLetters} returns it
 * @param end where it ends
 */
export function isDeniedAt(text: string, start: number, end: number, language: Language): boolean {
  const near = start > REACH ? text.slice(start - REACH, start).replace(/^\S*/, "") : text.slice(0, start);
  const before = near.split(CLAUSE_END).at(-1) ?? "";
  const rest = /^\w*/.exec(text.slice(end))?.[0];
  if (isSign(language, (before + text.slice(start, end) + rest).normalize("NFKD"))) {
    return false;
  }
  return language === "en" ? denies(sentencesOf(before).flat()) : deniesIn(before, language);
}
