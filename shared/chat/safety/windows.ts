import type { Sentence } from "./words.ts";

/** So many words say what they mean by themselves; a longer message is looked at in stretches of at most so many. */
export const WINDOW_WORDS = 80;

/** Fewer words in the midst of a long message say too little. */
const LEAST_WORDS = 4;

/**
 * The stretches of a message that are judged one by one, so that a danger told in one clause of a long story weighs as
 * much as alone: all of a message of at most {@link WINDOW_WORDS}, or else each run of whole sentences of at most so
 * many. A sentence that is longer is cut into halves of a window.
 *
 * @returns pairs of word numbers, `[start, end)`, in the message's words; for each word not more than a constant number
 */
export function windowsOf(sentences: Sentence[]): [start: number, end: number][] {
  const ends = endsOfPieces(sentences);
  const last = ends.at(-1) ?? 0;
  if (last <= WINDOW_WORDS) {
    return last === 0 ? [] : [[0, last]];
  }
  const windows: [number, number][] = [];
  for (let first = 0, start = 0; first < ends.length; start = ends[first++] as number) {
    for (let index = first; index < ends.length && (ends[index] as number) - start <= WINDOW_WORDS; index++) {
      if ((ends[index] as number) - start >= LEAST_WORDS) {
        windows.push([start, ends[index] as number]);
      }
    }
  }
  return windows;
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
