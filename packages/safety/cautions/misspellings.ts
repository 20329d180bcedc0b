import { WordLookup, type WordTable } from "../words/word-table.ts";

/** Words and names of at least so many letters may differ by one edit, or two. */
const ONE_EDIT = 6;
const TWO_EDITS = 10;

/** Candidates share this many letters with the word: at its beginning, at its end or, in long names, in the middle. */
const EDGE = 3;
const MIDDLE = 4;

/** A name and what it stands for: drugs, their groups, conditions. */
export interface Named {
  /** As shown to the user. */
  name: string;
  ids: Set<string>;
}

/**
 * Prepares a lookup of names by parts of them.
 *
 * @param names in the form in which they are looked up; those of several words are left out
 */
export function prepareMisspellings(names: string[]): WordTable {
  const byPart = new Map<string, string[]>();
  for (const letters of names) {
    if (letters.length >= ONE_EDIT && !/[ \d]/.test(letters)) {
      for (const part of partsOf(letters, [0])) {
        byPart.set(part, [...(byPart.get(part) ?? []), letters]);
      }
    }
  }
  return Object.fromEntries([...byPart].map(([part, letters]) => [part, letters.join(" ")]));
}

/**
 * Corrects misspelled names of drugs. An edit is a letter missing, added, replaced, or swapped with the next (Damerau
 * 1964); one is corrected in names of six or more letters, two in ten or more. A word that is equally
 * near to two drugs is neither.
 */
export class Misspellings {
  private readonly byPart: WordLookup<string[]>;
  private readonly nameOf: (letters: string) => Named | undefined;
  private readonly known = new Map<string, Named | undefined>();

  constructor(parts: WordTable, nameOf: (letters: string) => Named | undefined) {
    this.byPart = new WordLookup(parts, (letters) => letters.split(" "));
    this.nameOf = nameOf;
  }

  /** Returns what a word that is no name probably means; undefined if it is too different from each name. */
  correct(word: string): Named | undefined {
    if (word.length < ONE_EDIT || word.length > MOST_LETTERS) {
      return undefined;
    }
    if (!this.known.has(word)) {
      if (this.known.size >= MOST_KNOWN) {
        this.known.clear();
      }
      this.known.set(word, this.search(word));
    }
    return this.known.get(word);
  }

  private search(word: string): Named | undefined {
    let nearest: { named: Named; edits: number } | undefined;
    let isAmbiguous = false;
    for (const part of partsOf(word, SHIFTS)) {
      for (const letters of this.byPart.get(part) ?? []) {
        const most = editsIn(letters);
        const edits = Math.abs(letters.length - word.length) <= most ? distance(letters, word, most) : most + 1;
        const named = edits <= most ? this.nameOf(letters) : undefined;
        if (named && edits <= (nearest?.edits ?? edits)) {
          // Of names that are equally near, either may be meant; one that is farther away is not.
          isAmbiguous = nearest?.edits === edits && (isAmbiguous || !isSameDrug(nearest.named, named));
          nearest = nearest?.edits === edits ? nearest : { named, edits };
        }
      }
    }
    // A word may be too short for so many edits, and still be this name rather than another.
    return isAmbiguous || nearest === undefined || nearest.edits > editsIn(word) ? undefined : nearest.named;
  }
}

function editsIn(word: string): number {
  return word.length >= TWO_EDITS ? 2 : 1;
}

const MOST_LETTERS = 30;

/** Most words recur: those of the assistant's own phrases. */
const MOST_KNOWN = 5_000;

/** How far two edits can move the middle of a word. */
const SHIFTS = [0, -1, 1, -2, 2];

function partsOf(letters: string, shifts: number[]): string[] {
  const parts = [`${letters.slice(0, EDGE)}-`, `-${letters.slice(-EDGE)}`];
  if (letters.length >= TWO_EDITS - 2) {
    const middle = (letters.length - MIDDLE) >> 1;
    for (const shift of shifts) {
      parts.push(letters.slice(middle + shift, middle + shift + MIDDLE));
    }
  }
  return parts;
}

/** Whether two names stand for the same: Advil and ibuprofen, but not a drug and its combination with another. */
function isSameDrug(one: Named, other: Named): boolean {
  return one.ids.size === other.ids.size && [...one.ids].every((id) => other.ids.has(id));
}

/**
 * The number of edits between two words, of which none changes what another has swapped.
 *
 * @param most what interests the caller; beyond it, any larger number is returned
 */
function distance(one: string, other: string, most: number): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) {
    same++;
  }
  const [rest, otherRest] = [one.slice(same), other.slice(same)];
  if (most === 0 || rest === "" || otherRest === "") {
    return Math.max(rest.length, otherRest.length);
  }
  const isSwapped = rest[0] === otherRest[1] && rest[1] === otherRest[0];
  return (
    1 +
    Math.min(
      distance(rest.slice(1), otherRest, most - 1),
      distance(rest, otherRest.slice(1), most - 1),
      distance(rest.slice(1), otherRest.slice(1), most - 1),
      isSwapped ? distance(rest.slice(2), otherRest.slice(2), most - 1) : most,
    )
  );
}
