/** A sentence, as words that can be compared: lower case, without accents and apostrophes, no letter more than twice in a row. */
export type Sentence = string[];

/** Where a sentence ends. A comma does not: people put them anywhere. */
const END = /[.!?;\n\r…]+(?=\s|$|[^\d])/;

/**
 * Splits a text into sentences and words. Numbers are words, with a point for the decimals: "38,5 °C" gives `38.5`, `c`.
 * Linear in the length of the text.
 */
export function sentencesOf(text: string): Sentence[] {
  return plain(text)
    .split(END)
    .map((sentence) => sentence.match(/\d+(?:\.\d+)?|[\p{L}\p{M}]+/gu) ?? [])
    .filter((words) => words.length > 0);
}

/** A text without what people write or leave out as they like: case, accents, apostrophes, marks, invisible characters. */
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
