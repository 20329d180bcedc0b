/** Chinese, Japanese and Korean are written without spaces between words, or with particles that are part of them. */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

export const CJK_WORD = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const WORD = /[\p{L}\p{N}]+/gu;

/** What is longer is no word of a language, and only its beginning counts. */
const LONGEST_WORD = 40;

/** The Arabic article, also after a conjunction or preposition, before a word of at least three letters. */
const ARABIC_ARTICLE = /^(?:[وفبك]?ال|لل)(?=\p{Script=Arabic}{3})/u;

/** Whole phrases of eight and eighteen letters in one character, which say nothing that is searched for. */
const LIGATURES = /[\ufdfa\ufdfb]/g;

/**
 * Returns the words of a text that can be searched for: lower case, without accents and other marks; pairs of
 * characters for Chinese, Japanese and Korean; without the Arabic article. Words are not stemmed: fuzzy and prefix
 * search find their forms.
 */
export function wordsOf(text: string): string[] {
  const folded = text
    .replace(LIGATURES, " ")
    .normalize("NFKD")
    .replace(/[\p{M}\u0640]/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\u0649]/g, "\u064a") // alef maksura, often written as yaa
    .replace(/\u0629/g, "\u0647"); // taa marbuta, often written as haa
  const spaced = folded.replace(CJK, (run) => ` ${run} `);
  return (spaced.match(WORD) ?? []).flatMap((word) => {
    return CJK_WORD.test(word) ? pairsOf([...word]) : [word.slice(0, LONGEST_WORD).replace(ARABIC_ARTICLE, "")];
  });
}

function pairsOf(characters: string[]): string[] {
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
