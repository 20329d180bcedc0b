import { sentencesOf } from "./words.ts";

/** With fewer words, a message in Latin letters is taken for English. */
const FEWEST_WORDS = 3;

/** A sentence of English has at least this share of the words below. */
const ENGLISH_SHARE = 0.15;

/** Frequent English words, and words that English speakers type to a clinic; none that is frequent in another language. */
const ENGLISH = new Set(
  `the and you that was for with this have from they but not are were been what when where who how why which your his her
  she him its our their them there here then than can cant could will wont would should do does dont did didnt has had
  havent isnt wasnt im ive ill id youre thats its whats my me mine we us be being am get got getting just now today
  tomorrow yesterday week weeks day days month months year years old about after before since until still again some
  any all no yes yeah ok okay please thanks thank hi hello hey need want feel feeling felt take taking took taken
  help know think said says make makes made too very really much more less only also even if or as at by on of to up
  out off over under into it he hurts hurt pain painful sick doctor pills refill appointment blood chest head
  stomach heart back arm leg throat mom dad son daughter baby wife husband friend someone call cant breathe breathing
  die dying dead kill`.split(/\s+/),
);

const LATIN = /\p{Script=Latin}/u;

/**
 * Whether a message that was not recognized as a language with rules is not English either. A guess by script and by
 * frequent words, used only when no model has judged the message.
 */
export function isUnknownLanguage(message: string): boolean {
  const letters = message.match(/\p{L}/gu) ?? [];
  if (letters.length === 0) {
    return false;
  }
  if (letters.filter((letter) => LATIN.test(letter)).length * 2 < letters.length) {
    return true; // one that has rules would have been recognized
  }
  const words = sentencesOf(message).flat();
  const english = words.filter((word) => ENGLISH.has(word)).length;
  return words.length >= FEWEST_WORDS && english < words.length * ENGLISH_SHARE;
}
