import type { Sentence } from "./words.ts";

/** The maximum number of words in a window. */
export const WINDOW_WORDS = 80;

/**
 * A message whose core has more words is long: people in danger write more of it, and others more that resembles it.
 */
export const LONG_WORDS = 40;

/** A longer sentence is read in pieces of this many words, because some people write without punctuation. */
const SENTENCE_WORDS = 24;
const PIECE_WORDS = 5;

/** The parts of a message with fewer words decide its level, but not whether there is an alert. */
export const FEWEST_WORDS = 20;

/** The maximum number of pieces of a message: in a very long one, neighboring sentences are one piece. */
const MOST_PIECES = 200;

/** The maximum number of pieces in a window. */
const WINDOW_PIECES = 12;

/** A message whose core has more words is judged only by its parts: the labeled messages have no more. */
const MOST_WORDS = 300;

/** The number of harmless sentences on each side of the core that are read with it. */
const HARMLESS_SENTENCES = 8;

/** A part of a message: the words from number `start` up to but not including `end`. */
export interface Window {
  start: number;
  end: number;
}

/**
 * The windows of a message as a whole: its core, alone and with harmless sentences around it, up to
 * {@link WINDOW_WORDS} words. If all sentences of a short message are harmless, these are all its runs of sentences,
 * since a danger may be spread over them.
 *
 * @param isHarmless whether a sentence may be removed from either end
 * @returns the windows, the core first; none if it is very long
 */
export function windowsAroundCore(
  sentences: Sentence[],
  isHarmless: (sentence: Window, index: number) => boolean,
): Window[] {
  const starts = [0];
  for (const { length } of sentences) {
    starts.push((starts.at(-1) as number) + length);
  }
  const words = starts.at(-1) as number;
  const harmless = sentences.map((_, index) =>
    isHarmless({ start: starts[index] as number, end: starts[index + 1] as number }, index),
  );
  const first = harmless.indexOf(false);
  const last = harmless.lastIndexOf(false) + 1;
  if (first < 0) {
    return words > MOST_WORDS ? [] : words > WINDOW_WORDS ? [{ start: 0, end: words }] : runsOf(starts);
  }
  const core = { start: starts[first] as number, end: starts[last] as number };
  if (core.end - core.start > MOST_WORDS) {
    return [];
  }
  const around = starts
    .slice(Math.max(first - HARMLESS_SENTENCES, 0), first + 1)
    .flatMap((start) => starts.slice(last, last + HARMLESS_SENTENCES + 1).map((end) => ({ start, end })));
  return [core, ...around.filter(({ start, end }) => end - start <= WINDOW_WORDS)];
}

/**
 * The parts of a message that are judged one by one, so that a danger described in one clause of a long story counts as
 * much as on its own: all runs of sentences of at most {@link WINDOW_WORDS} words. At most 2,400, whatever the length.
 */
export function partsOf(sentences: Sentence[]): Window[] {
  const words = sentences.reduce((sum, { length }) => sum + length, 0);
  const fewest = Math.min(Math.ceil(words / MOST_PIECES), WINDOW_WORDS / 2);
  return runsOf(piecesOf(sentences, fewest));
}

/** All runs between the given word numbers that a window may have. */
function runsOf(starts: number[]): Window[] {
  return starts.flatMap((start, first) =>
    starts
      .slice(first + 1, first + 1 + WINDOW_PIECES)
      .filter((end) => end - start <= WINDOW_WORDS)
      .map((end) => ({ start, end })),
  );
}

/**
 * The numbers of the words at which a sentence or a piece of a long one starts, and of the end.
 *
 * @param fewest the minimum number of words in a piece
 */
function piecesOf(sentences: Sentence[], fewest: number): number[] {
  const starts = [0];
  let words = 0;
  for (const { length } of sentences) {
    const piece = length > SENTENCE_WORDS ? Math.max(PIECE_WORDS, fewest) : length;
    for (const end = words + length; words < end; ) {
      words = Math.min(words + piece, end);
      if (words - (starts.at(-1) as number) >= fewest) {
        starts.push(words);
      }
    }
  }
  return starts.at(-1) === words ? starts : [...starts, words];
}
