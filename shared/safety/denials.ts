import { deniesIn } from "./language-rules.ts";
import { denies } from "./rules.ts";
import type { Language } from "./screening.ts";
import { sentencesOf } from "./words.ts";

/** The end of a clause, at which the reach of a denial ends. */
const CLAUSE_END =
  /[.,;:!?…。，！？；、،؛؟\n]|\b(?:and|but|after|because|since|when|while|now|then|he|she|they|it|i|we)\b/;

/** What somebody needs to do or have, or what should stop: its negation is a sign, and no denial. */
const NEEDED =
  "air|alert|allowed|awake|better|breath(?:e|ing)|change|conscious|difference|drink(?:ing)?|eat(?:en|ing)?|epi ?pen|fad(?:e|ing)|feel(?:ing)?(?= (?:my|his|her|their|the|in|on))|fully|go|going|help|hold|inhaler|jok(?:e|ing)|just|keep|know|lets?|mov(?:es?|ed|ing|ement)|naloxone|narcan|ok(?:ay)?|only|open|pee(?:d|ing)?|puffer|pulse|recogni[sz]e|relief|respon\\w+|see|sensation|slept|speak|stand|stay|stop\\w*|strength|sure|swallow(?:ing)?|talk(?:ing)?|think|wak\\w+|walk(?:ing)?|want|woke\\w*|work(?:ing)?|(?:one|two|three|\\d+) (?:day|week|month|year)s?";
const SIGN = new RegExp(
  `\\b(?:not|no|never|cannot|\\w+nt)(?: (?:a|any|be|been|even|really|able|to|have|has|got|get|getting|let|properly))*(?: get (?:him|her|them) to)? (?:${NEEDED})\\b|\\bcan(?:no)?t (?:feel\\b|.*\\bwithout\\b)`,
);

/**
 * Whether what stands at a place of a text is denied: "I don't have chest pain". A negation that is itself a sign, as
 * in "does not respond", denies nothing in its clause.
 *
 * @param text as `plainLetters` returns it
 * @param end where it ends
 */
export function isDeniedAt(text: string, start: number, end: number, language: Language): boolean {
  const before = text.slice(0, start).split(CLAUSE_END).at(-1) ?? "";
  if (language !== "en") {
    return deniesIn(before, language);
  }
  const rest = /^\w*/.exec(text.slice(end))?.[0];
  return !SIGN.test(before + text.slice(start, end) + rest) && denies(sentencesOf(before).flat());
}
