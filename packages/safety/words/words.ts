import { isAscii, unicode } from "./unicode.ts";

/** A sentence as comparable words: lower case, without accents and apostrophes, no letter more than twice in a row. */
export type Sentence = string[];

/** The end of a sentence. Commas do not count, because people put them anywhere. */
const END = /[.!?;\n\r…]+(?=\s|$|[^\d])/;

const WORD = unicode("\\d+(?:\\.\\d+)?|[\\p{L}\\p{M}]+", "g");
const INVISIBLE = unicode("[™℠®ʼ´\\p{Cf}]", "g");
const REPEATED = unicode("(\\p{L})\\1{2,}", "g");

/**
 * Splits a text into sentences and words. Numbers are words with a decimal point: "38,5 °C" gives `38.5`, `c`. Linear
 * in the length of the text.
 */
export function sentencesOf(text: string): Sentence[] {
  const letters = plain(text);
  const word = isAscii(letters) ? /\d+(?:\.\d+)?|[a-z]+/g : WORD();
  return letters
    .split(END)
    .map((sentence) => sentence.match(word) ?? [])
    .filter((words) => words.length > 0);
}

/**
 * Removes optional spelling differences from a text: case, accents, apostrophes, marks and invisible characters.
 */
export function plainLetters(text: string): string {
  const unquoted = text.replaceAll(/['’‘`]/g, "");
  return isAscii(unquoted) ? unquoted.toLowerCase() : withoutAccents(unquoted);
}

/** The same, with the "đ" of Vietnamese as a "d", which Unicode does not take for one with a mark. */
export function withoutMarks(text: string): string {
  return plainLetters(text).replaceAll("đ", "d");
}

/** Characters that stand for eight and eighteen letters of a blessing, and for nothing that is looked for. */
const WHOLE_PHRASES = /[\ufdfa\ufdfb]/g;

function withoutAccents(text: string): string {
  return text
    .replaceAll(INVISIBLE(), "")
    .replaceAll(WHOLE_PHRASES, " ")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, "");
}

function plain(text: string): string {
  return contracted(withoutRepetitions(plainLetters(text).replaceAll(/(\d),(?=\d)/g, "$1.")));
}

const VERB = "do|does|did|is|are|was|were|have|has|had|could|would|should";
const NEGATED = new RegExp(`\\b(?:(${VERB}|ai|ca|wo)n t|(${VERB}|can|will) ?not)\\b`, "g");

/** Writes "do not" and "don t" as "dont": people who mean the same are read in the same way. */
function contracted(plain: string): string {
  return plain.replaceAll(NEGATED, (_, short: string | undefined, long: string) =>
    short ? `${short}nt` : long === "will" ? "wont" : long === "can" ? "cant" : `${long}nt`,
  );
}

/** Leaves out words, and pairs of words, that are said twice in a row: "he's not he's not breathing". */
export function withoutRepeats(words: Sentence): Sentence {
  const once = words.filter((word, index) => word !== words[index - 1]);
  const isRepeated = (index: number) => once[index] === once[index - 2] && once[index + 1] === once[index - 1];
  return once.filter((_, index) => index < 2 || !(isRepeated(index) || isRepeated(index - 1)));
}

/** Shortens each letter that is written three times or more in a row to two. */
export function withoutRepetitions(plain: string): string {
  return plain.replaceAll(isAscii(plain) ? /([a-z])\1{2,}/g : REPEATED(), "$1$1");
}

const STRETCHED = unicode("(\\p{L})\\1{2,}", "gi");

/** Writes a letter that is said three times or more in a row once: "dieeee". Two of them may be right: "killll". */
export function withoutStretches(text: string): string {
  return text.replaceAll(STRETCHED(), "$1");
}

/** The number of letters of a message that are read, counted as {@link plainLetters} returns them. */
const MOST_LETTERS = 16_000;

/** One letter may become 18 when normalized, so a text is measured in pieces. */
const PIECE = 1_000;

/** Returns the beginning of a text that is read, so that the work is bounded whatever is sent. */
export function boundedText(text: string, most = MOST_LETTERS): string {
  for (let start = 0, letters = 0; start < text.length; start += PIECE) {
    letters += text.slice(start, start + PIECE).normalize("NFKD").length;
    if (letters > most) {
      return text.slice(0, start + (start === 0 ? Math.floor(PIECE / 18) : 0));
    }
  }
  return text;
}

/** Of a longer message, only so many characters of its beginning and of its end are read beside other messages. */
const END_CHARACTERS = 1_000;

/** Returns the beginning and the end of a long message, which say what it is about; a shorter one as it is. */
export function endsOf(message: string): string {
  return message.length > 2 * END_CHARACTERS
    ? `${message.slice(0, END_CHARACTERS)}\n${message.slice(-END_CHARACTERS)}`
    : message;
}
