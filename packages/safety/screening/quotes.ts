import type { FoundPhrase } from "../words/phrases.ts";
import type { Sentence } from "../words/words.ts";

/** A phrase, and the sentence, as it was read, that it is in. */
export interface QuotedPhrase {
  sentence: Sentence;
  phrase: FoundPhrase;
}

/** Trimmed from the ends of a quotation. */
const PUNCTUATION = /^[\s.,!?;:…。，！？；、()"“”«»]+|[\s.,!?;:…。，！？；、()"“”«»]+$/g;

/** At most so many phrases are quoted, so that a long message does not come back as a whole. */
const MOST_QUOTES = 5;

/**
 * Quotes phrases of a text as they were written there.
 *
 * @param text the message
 * @param pieces what the text consists of: words, or characters in a script without spaces
 * @param read splits a piece into words as the sentences were
 * @returns each phrase once, and none that is a part of another; without those that are not written in consecutive
 *   pieces, such as disguised ones
 */
export function quotesOf(
  text: string,
  phrases: QuotedPhrase[],
  pieces: RegExp,
  read: (piece: string) => Sentence,
): string[] {
  if (phrases.length === 0) {
    return [];
  }
  const written = [...text.matchAll(pieces)].flatMap(({ 0: piece, index }) =>
    read(piece).map((word) => ({ word, start: index, end: index + piece.length })),
  );
  const words = ` ${written.map(({ word }) => word).join(" ")} `;
  const quotes = phrases.flatMap(({ sentence, phrase }) => {
    const found = words.indexOf(` ${sentence.slice(phrase.start, phrase.end).join(" ")} `);
    const first = words.slice(0, found + 1).split(" ").length - 2;
    const last = first + phrase.end - phrase.start - 1;
    return found < 0 ? [] : [text.slice(written[first]?.start, written[last]?.end).replaceAll(PUNCTUATION, "")];
  });
  const unique = [...new Set(quotes)].filter((quote) => quote !== "");
  return unique
    .filter((quote) => !unique.some((other) => other !== quote && other.includes(quote)))
    .slice(0, MOST_QUOTES);
}
