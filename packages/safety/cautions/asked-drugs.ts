import { patternsIn } from "../data-file.ts";
import { plainLetters } from "../words/words.ts";
import { cautionTables } from "./caution-tables.ts";
import { mentionedDrugs } from "./mentions.ts";

/** The most characters of a question that is taken to go on with the one before, such as "And how often?". */
const LONGEST_FOLLOW_UP = 40;

const has = patternsIn("asked-drugs.json");

/**
 * Returns the message with the drugs that it goes on asking about: a caution also holds for a short question that
 * follows and names no drug.
 *
 * @param lastCautioned the drugs in the cautions of the last answer
 */
export function withAskedDrugs(message: string, lastCautioned: readonly string[]): string {
  const isFollowUp =
    lastCautioned.length > 0 &&
    message.length <= LONGEST_FOLLOW_UP &&
    /[?？؟]\s*$/.test(message) &&
    mentionedDrugs(cautionTables().finder, message, "").length === 0 &&
    isAboutTaking(plainLetters(message));
  return [message, ...(isFollowUp ? lastCautioned : [])].join("\n");
}

function isAboutTaking(letters: string): boolean {
  return has("goes-on", letters) && (has("about-taking", letters) || !has("about-clinic", letters));
}
