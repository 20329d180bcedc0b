import type { Rate } from "./timing-codes.ts";

// What a prescriber's own text says already, so that what only the structure says can be added to it.

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const NUMBER = new RegExp(`\\b(${NUMBERS.join("|")})\\b`, "g");

/** Returns a text for comparison: in lower case, numbers as digits, one space between words. */
function plainly(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(NUMBER, (word) => String(NUMBERS.indexOf(word)))
    .replaceAll(/\bonce\b/g, "1 times")
    .replaceAll(/\btwice\b/g, "2 times")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** What before an amount makes it a limit. */
const LIMIT = /(max|most|than|exceed|up to|limit)[^.;]{0,24}$/;

/**
 * Returns whether a text has these words, and not as a part of other words or of a limit. If in doubt it has not: it is
 * better to say something twice than to lose it.
 */
export function isSaid(text: string, words: string): boolean {
  const [within, sought] = [plainly(text), plainly(words)];
  const start = within.indexOf(sought);
  const [before, after] = [within.slice(0, start), within.slice(start + sought.length)];
  const isWhole = start >= 0 && !/[\p{L}\p{N}.,-]$/u.test(before) && !/^[\p{L}\p{N}]|^[.,-]\p{N}/u.test(after);
  return isWhole && sought !== "" && !LIMIT.test(before.slice(-40));
}

/** Returns whether a text says that something is taken only as needed. */
export function saysAsNeeded(text: string): boolean {
  return /\b(as|if|when|whenever) (needed|required|necessary)\b|\bp\.?r\.?n\b|\bbei bedarf\b/i.test(text);
}

const UNITS = new Map([
  ["hour", "h"],
  ["day", "d"],
  ["week", "wk"],
  ["month", "mo"],
  ["year", "a"],
]);
const UNIT = "(hour|day|week|month|year)";
const ADVERBS = new Map([
  ["daily", "d"],
  ["weekly", "wk"],
  ["monthly", "mo"],
]);
const LATIN = new Map([
  ["bid", 2],
  ["tid", 3],
  ["qid", 4],
]);

const TIMES = new RegExp(
  `(\\d+) ?(?:times|x) ?(?:a|an|per|each|every|/)? ?(?:${UNIT}\\b|(daily|weekly|monthly)\\b)`,
  "g",
);
const EVERY = new RegExp(`\\b(?:every|each) (?:(other)|(\\d+))? ?${UNIT}s?\\b`, "g");
const ADVERB = /\b(daily|weekly|monthly)\b/g;
const SHORT = /\b(?:(bid|tid|qid)|q ?(\d+) ?h(?:ours?|rs?)?)\b/g;
const PARTS = /\b(morning|noon|midday|evening|nightly|night|bedtime)\b/g;

/** Returns how often something is taken, as far as a text says it in common English words. */
export function ratesIn(text: string): Rate[] {
  const rates: Rate[] = [];
  const found = (pattern: RegExp, rate: (match: string[]) => Rate) => (rest: string) =>
    rest.replaceAll(pattern, (...match) => {
      rates.push(rate(match as string[]));
      return " ";
    });
  let rest = plainly(text.replaceAll(/\b([bqt])\.\s?i\.\s?d\b\.?/gi, "$1id"));
  rest = found(TIMES, ([, n, unit, adverb]) => ({
    times: Number(n),
    period: 1,
    unit: UNITS.get(unit ?? "") ?? ADVERBS.get(adverb ?? "") ?? "",
  }))(rest);
  rest = found(EVERY, ([, other, n, unit]) => ({
    times: 1,
    period: other ? 2 : Number(n ?? 1),
    unit: UNITS.get(unit ?? "") ?? "",
  }))(rest);
  rest = found(ADVERB, ([, adverb]) => ({ times: 1, period: 1, unit: ADVERBS.get(adverb ?? "") ?? "" }))(rest);
  found(SHORT, ([, latin, hours]) =>
    latin ? { times: LATIN.get(latin) ?? 1, period: 1, unit: "d" } : { times: 1, period: Number(hours), unit: "h" },
  )(rest);
  const parts = new Set(rest.match(PARTS));
  return rates.length > 0 || parts.size === 0 ? rates : [{ times: parts.size, period: 1, unit: "d" }];
}
