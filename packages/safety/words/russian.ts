/** The transliteration of each letter from а to я, without the differences between the usual systems. */
const LETTERS = "a b v g d e zh z i i k l m n o p r s t u f h ts ch sh sh  i  e iu ia".split(" ");

/** What {@link transliterated} replaces, of which most words have nothing. */
const REPLACED = /[а-яyj]|sch|kh/;

/** Writes Russian in Latin letters, in the same way whichever letters and system it was written in. */
export function transliterated(text: string): string {
  if (!REPLACED.test(text)) {
    return text;
  }
  return text
    .replaceAll(/[а-я]/g, (letter) => LETTERS[letter.charCodeAt(0) - "а".charCodeAt(0)] ?? "")
    .replaceAll(/shch|sch/g, "sh")
    .replaceAll("kh", "h")
    .replaceAll(/y([eo])/g, "e")
    .replaceAll(/[yj]/g, "i");
}
