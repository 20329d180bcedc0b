/** A sentence as comparable words: lower case, without accents and apostrophes, no letter more than twice in a row. */
export type Sentence = string[];

/** The end of a sentence. Commas do not count, because people put them anywhere. */
const END = /[.!?;\n\r…]+(?=\s|$|[^\d])/;

/**
 * Splits a text into sentences and words. Numbers are words with a decimal point: "38,5 °C" gives `38.5`, `c`. Linear
 * in the length of the text.
 */
export function sentencesOf(text: string): Sentence[] {
  return plain(text)
    .split(END)
    .map((sentence) => sentence.match(/\d+(?:\.\d+)?|[\p{L}\p{M}]+/gu) ?? [])
    .filter((words) => words.length > 0);
}

/** Removes optional spelling differences from a text: case, accents, apostrophes, marks, invisible characters. */
export function plainLetters(text: string): string {
  return text
    .replaceAll(/[™℠®'’‘ʼ`´\p{Cf}]/gu, "")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, "");
}

function plain(text: string): string {
  return plainLetters(text)
    .replaceAll(/(\d),(?=\d)/g, "$1.")
    .replaceAll(/(\p{L})\1{2,}/gu, "$1$1");
}

/** The number of letters of a message that are read, counted as {@link plainLetters} returns them. */
const MOST_LETTERS = 16_000;

/** One letter may become 18 when normalized, so a text is measured in pieces. */
const PIECE = 1_000;

/** Returns the beginning of a text that is read, so that the work is linear whatever is sent. */
export function boundedText(text: string): string {
  for (let start = 0, letters = 0; start < text.length; start += PIECE) {
    letters += text.slice(start, start + PIECE).normalize("NFKD").length;
    if (letters > MOST_LETTERS) {
      return text.slice(0, start + (start === 0 ? Math.floor(PIECE / 18) : 0));
    }
  }
  return text;
}
