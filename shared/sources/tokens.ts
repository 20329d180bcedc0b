import { CONCEPT_MARK, conceptsOf } from "./concepts.ts";
import { CJK_WORD, wordsOf } from "./words.ts";

/** Words that are in most questions and passages, and say nothing about the subject. */
const STOP_WORDS = new Set(
  wordsOf(
    "a an and are as at be been but by can could do does did for from had has have how i if in into is it its just me my no not " +
      "of on or our shall should so some that the their them then there these they this to up us was we were what when where which " +
      "who will with would you your yours please tell need want get got getting give gives go goes going come comes coming " +
      "she her he his him mother father about after before because also any anybody anything everything something somebody someone " +
      "use uses used using offer offers offered offering work works working name place good best know find make makes made take " +
      "takes see seen look like thing things way people person clinic practice office too very really still ever again just only " +
      "let say said ask hold write back one two first last next per than more most many few other another each every both don t s m re ve ll d " +
      "al con como cual de del donde el ella en es esta este hay la las lo los me mi mis no nos o para pero por puedo que se si " +
      "sin son su sus tengo un una unos y ya quiero necesito ustedes hay cual cuales este esta muy mas tambien alguien algo hacer hago " +
      "怎么 什么 你们 我们 是否 可以 可不 怎样 么样 哪里 办理 " +
      "في من على الى عن مع هل ما متى كيف اين هو هي هذا هذه ان او لا كم لي انا",
  ),
);

/** Returns the words of a text that can be searched for. */
export function tokensOf(text: string): string[] {
  return wordsOf(text).filter((word) => !STOP_WORDS.has(word));
}

/** How many words of a question are searched for: of a long one, those at its beginning and at its end. */
const MOST_SEARCHED = 60;

/** Returns the words of a question that are searched for, each once. */
export function searchedTokensOf(question: string): string[] {
  const tokens = [...new Set(tokensOf(question))];
  const half = MOST_SEARCHED / 2;
  return tokens.length <= MOST_SEARCHED ? tokens : [...tokens.slice(0, half), ...tokens.slice(-half)];
}

/** A word is indexed and searched as itself and as what it is about, so that other words for it are found. */
export function termsOf(token: string): string[] {
  return [CJK_WORD.test(token) ? asTerm(token) : token, ...conceptsOf(token)];
}

/** Begins the terms for Chinese, Japanese and Korean words. */
const CJK_MARK = "¶";

/** Whether a term is a word as it is written, of which there are forms and misspellings. */
export function isWritten(term: string): boolean {
  return !term.startsWith(CONCEPT_MARK) && !term.startsWith(CJK_MARK);
}

/** The index compares the first character of a term with those of all others, so a term may have only a few. */
function asTerm(word: string): string {
  return CJK_MARK + [...word].map((character) => character.codePointAt(0)?.toString(16)).join("-");
}
