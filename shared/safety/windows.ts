import type { Sentence } from "./words.ts";

/** The maximum number of words in a window. Longer messages are judged in several windows. */
export const WINDOW_WORDS = 80;

/** The maximum number of sentences in a window, because some people write sentences of one word. */
const WINDOW_SENTENCES = 20;

/** A part of a message: the words from number `start` up to but not including `end`. */
export interface Window {
  start: number;
  end: number;
}

/**
 * The windows of a message that are judged one by one, so that a danger described in one clause of a long story counts
 * as much as on its own: the whole message if it has at most {@link WINDOW_WORDS} words, otherwise its {@link runsOf}.
 */
export function windowsOf(sentences: Sentence[]): Window[] {
  const words = sentences.reduce((sum, { length }) => sum + length, 0);
  return words > WINDOW_WORDS ? runsOf(sentences) : words > 0 ? [{ start: 0, end: words }] : [];
}

/** The maximum number of windows. A text with very many short sentences is split into shorter windows. */
const MOST_RUNS = 8_000;
const FEWEST_SENTENCES = 5;

/** The number of harmless sentences on each side of the core that are read with it. */
const HARMLESS_SENTENCES = 8;

/**
 * The windows by which a message is judged: its core, alone and with harmless sentences around it, up to
 * {@link WINDOW_WORDS} words; or all runs of the message if its core is longer or it has none.
 *
 * @param isHarmless whether a sentence may be removed from either end
 * @returns the windows, whether the core is longer than one window, and whether the windows are all runs
 */
export function windowsAroundCore(
  sentences: Sentence[],
  isHarmless: (sentence: Window, index: number) => boolean,
): { windows: Window[]; isLong: boolean; isRuns: boolean } {
  const starts = [0];
  for (const { length } of sentences) {
    starts.push((starts.at(-1) ?? 0) + length);
  }
  const harmless = sentences.map((_, index) =>
    isHarmless({ start: starts[index] as number, end: starts[index + 1] as number }, index),
  );
  const first = harmless.indexOf(false);
  const last = harmless.lastIndexOf(false) + 1;
  if (first < 0) {
    return { windows: runsOf(sentences), isLong: false, isRuns: true };
  }
  if ((starts[last] as number) - (starts[first] as number) > WINDOW_WORDS) {
    return { windows: runsOf(sentences), isLong: true, isRuns: true };
  }
  const windows: Window[] = [];
  for (const start of starts.slice(Math.max(first - HARMLESS_SENTENCES, 0), first + 1)) {
    for (const end of starts.slice(last, last + HARMLESS_SENTENCES + 1)) {
      if (end - start <= WINDOW_WORDS) {
        windows.push({ start, end });
      }
    }
  }
  return { windows, isLong: false, isRuns: false };
}

/**
 * All runs of whole sentences of at most {@link WINDOW_WORDS} words, at most 20 per sentence. A longer sentence is
 * split into halves of a window.
 */
export function runsOf(sentences: Sentence[]): Window[] {
  const ends = endsOfPieces(sentences);
  const most = Math.max(Math.min(WINDOW_SENTENCES, Math.floor(MOST_RUNS / ends.length)), FEWEST_SENTENCES);
  const runs: Window[] = [];
  for (let first = 0, start = 0; first < ends.length; start = ends[first++] as number) {
    const stop = Math.min(first + most, ends.length);
    for (let index = first; index < stop && (ends[index] as number) - start <= WINDOW_WORDS; index++) {
      runs.push({ start, end: ends[index] as number });
    }
  }
  return runs;
}

function endsOfPieces(sentences: Sentence[]): number[] {
  const ends: number[] = [];
  let words = 0;
  for (const { length } of sentences) {
    if (length > WINDOW_WORDS) {
      for (let half = WINDOW_WORDS / 2; half < length; half += WINDOW_WORDS / 2) {
        ends.push(words + half);
      }
    }
    words += length;
    ends.push(words);
  }
  return ends;
}
