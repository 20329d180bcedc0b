import { parseDataFile } from "../data-file.ts";
import { type FoundPhrase, indexOf, Phrases } from "../words/phrases.ts";
import type { Sentence } from "../words/words.ts";
import { dangerNames, readSentence } from "./rules.ts";

/** The format of `data/asides.json`, which explains its parts. */
interface AsideFile {
  classes: Record<string, string[]>;
  denials: { openings: string[]; signs: string[] };
  asides: string[];
  "brain-signs": string[];
}

const { classes, denials, asides, "brain-signs": brainSigns } = parseDataFile<AsideFile>("asides.json");
const signs = [...denials.signs, ...dangerNames];
const phrases = new Phrases(indexOf({ opening: denials.openings, sign: signs, aside: asides }, " ", classes));

const DENIAL = "denial";

/** So short a clause that begins with a denial tells nothing else, unless it is a sign itself: "no reason to live". */
const DENIAL_WORDS = 6;

/** What may not follow a denial that is cut off: "no fever or numbness". */
const ALTERNATIVES = new Set(["or", "nor"]);

/** What joins a clause to the one before it. */
const JOINING = new Set(["and", "but", "so", "though"]);

/** What a message tells, besides denials and questions about what to do. */
export interface Affirmed {
  /** Empty if all of the message denies known signs. */
  clauses: Sentence[];
  /** Whether each clause that denies something does nothing else. */
  isPlain: boolean;
}

/**
 * Leaves out clauses and parts of clauses that deny something or only ask what to do, so that "no fever, right side went
 * numb" is also read as "right side went numb".
 *
 * @param clauses the message, split where a denial may end
 * @returns undefined if there is nothing to leave out
 */
export function affirmedOf(clauses: Sentence[]): Affirmed | undefined {
  const trimmed = clauses.map(trim);
  if (trimmed.every(({ part }) => part === "none") || playsDownBlow(clauses, trimmed)) {
    return undefined;
  }
  const affirmed = trimmed.map(({ rest }) => withoutJoining(rest)).filter((rest) => rest.length > 0);
  const isPlain = trimmed.every(({ part }) => part === "none" || part === "denial");
  return affirmed.length > 0 || isPlain ? { clauses: affirmed, isPlain } : undefined;
}

/** Whether what is left out denies what would make a blow to the head dangerous. */
function playsDownBlow(clauses: Sentence[], trimmed: { rest: Sentence }[]): boolean {
  const isLeftOut = (clause: Sentence, index: number) => trimmed[index]?.rest.length !== clause.length;
  const leftOut = clauses.filter(isLeftOut).flat();
  return (
    brainSigns.some((sign) => leftOut.includes(sign)) &&
    clauses.some((clause) => readSentence(clause).present.includes("head-blow"))
  );
}

/** A clause without what it denies or asks at its beginning or end, and whether that was all of it. */
function trim(clause: Sentence): { rest: Sentence; part: "none" | "some" | "denial" } {
  const found = phrases.in(clause);
  const cuts = [...found.filter(({ name }) => name === "aside"), ...denialsIn(found)];
  let [start, end, isDenial] = [0, clause.length, false];
  for (let isCut = true; isCut; ) {
    const before = cuts.filter((cut) => cut.start === start && cut.end > start && cut.end <= end);
    const after = cuts.filter((cut) => cut.end === end && cut.start < end && cut.start >= start);
    const first = before.filter((cut) => cut.end === end || !ALTERNATIVES.has(clause[cut.end] as string));
    const longest = first.toSorted((one, other) => other.end - one.end)[0];
    const last = longest ? undefined : after.toSorted((one, other) => one.start - other.start)[0];
    start = longest?.end ?? start;
    end = last?.start ?? end;
    isDenial ||= [longest, last].some((cut) => cut?.name === DENIAL);
    isCut = (longest ?? last) !== undefined && start < end;
  }
  const rest = clause.slice(start, end);
  const isShort = rest.length === clause.length && rest.length <= DENIAL_WORDS;
  if (isShort && found.some(isOpening) && readSentence(clause).signs.length === 0) {
    return { rest: [], part: "some" };
  }
  return { rest, part: rest.length === clause.length ? "none" : rest.length === 0 && isDenial ? "denial" : "some" };
}

function isOpening({ name, start }: FoundPhrase): boolean {
  return name === "opening" && start === 0;
}

function withoutJoining(clause: Sentence): Sentence {
  return clause.length > 1 && JOINING.has(clause[0] as string) ? clause.slice(1) : clause;
}

/** Each opening with the signs that follow it. */
function denialsIn(found: FoundPhrase[]): FoundPhrase[] {
  const signs = found.filter(({ name }) => name === "sign");
  return found
    .filter(({ name }) => name === "opening")
    .flatMap((opening) => {
      const ends = new Set<number>();
      for (const { start, end } of signs) {
        if (start === opening.end || ends.has(start)) {
          ends.add(end);
        }
      }
      return [...ends].map((end) => ({ name: DENIAL, start: opening.start, end }));
    });
}
