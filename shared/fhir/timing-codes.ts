/** UCUM's units of time (HL7, FHIR R4, value set units-of-time), and how many minutes they have. */
const TIME_UNITS = new Map([
  ["s", { word: "second", minutes: 1 / 60 }],
  ["min", { word: "minute", minutes: 1 }],
  ["h", { word: "hour", minutes: 60 }],
  ["d", { word: "day", minutes: 24 * 60 }],
  ["wk", { word: "week", minutes: 7 * 24 * 60 }],
  ["mo", { word: "month", minutes: 30 * 24 * 60 }],
  ["a", { word: "year", minutes: 365 * 24 * 60 }],
]);

/** Returns the word for one unit of time: "week" for "wk". */
export function timeUnit(code: string | undefined): string | undefined {
  return TIME_UNITS.get(code ?? "")?.word;
}

/** The words for units of time. */
export const TIME_WORDS: ReadonlySet<string> = new Set([...TIME_UNITS.values()].map(({ word }) => word));

/** How often something happens: so many times in a period. */
export interface Rate {
  times: number;
  period: number;
  /** UCUM's code. */
  unit: string;
}

/** Returns whether two rates are the same, and equally worded. */
export function isSameRate(a: Rate, b: Rate): boolean {
  return a.times === b.times && a.period === b.period && a.unit === b.unit;
}

/** Returns whether two rates give the same number of times in the long run: every 12 hours, and twice a day. */
export function isSameOften(a: Rate, b: Rate): boolean {
  const perMinute = ({ times, period, unit }: Rate) => times / (period * (TIME_UNITS.get(unit)?.minutes ?? Number.NaN));
  return Math.abs(perMinute(a) - perMinute(b)) < 1e-9;
}

/** What an offset is counted from: an event that says "before" or "after", a meal, or a part of the day. */
type Kind = "relative" | "meal" | "part";

/**
 * The events that a time is tied to (HL7, FHIR R4, value set event-timing, with all codes of v3-TimingEvent), by code.
 */
export const EVENTS = new Map<string, { words: string; kind: Kind }>([
  ["MORN", { words: "in the morning", kind: "part" }],
  ["MORN.early", { words: "in the early morning", kind: "part" }],
  ["MORN.late", { words: "in the late morning", kind: "part" }],
  ["NOON", { words: "at noon", kind: "part" }],
  ["AFT", { words: "in the afternoon", kind: "part" }],
  ["AFT.early", { words: "in the early afternoon", kind: "part" }],
  ["AFT.late", { words: "in the late afternoon", kind: "part" }],
  ["EVE", { words: "in the evening", kind: "part" }],
  ["EVE.early", { words: "in the early evening", kind: "part" }],
  ["EVE.late", { words: "in the late evening", kind: "part" }],
  ["NIGHT", { words: "at night", kind: "part" }],
  ["PHS", { words: "after going to sleep", kind: "relative" }],
  ["HS", { words: "before going to sleep", kind: "relative" }],
  ["WAKE", { words: "after waking up", kind: "relative" }],
  ["C", { words: "with a meal", kind: "meal" }],
  ["CM", { words: "with breakfast", kind: "meal" }],
  ["CD", { words: "with lunch", kind: "meal" }],
  ["CV", { words: "with dinner", kind: "meal" }],
  ["AC", { words: "before a meal", kind: "relative" }],
  ["ACM", { words: "before breakfast", kind: "relative" }],
  ["ACD", { words: "before lunch", kind: "relative" }],
  ["ACV", { words: "before dinner", kind: "relative" }],
  ["PC", { words: "after a meal", kind: "relative" }],
  ["PCM", { words: "after breakfast", kind: "relative" }],
  ["PCD", { words: "after lunch", kind: "relative" }],
  ["PCV", { words: "after dinner", kind: "relative" }],
  ["IC", { words: "between meals", kind: "part" }],
  ["ICM", { words: "between breakfast and lunch", kind: "part" }],
  ["ICD", { words: "between lunch and dinner", kind: "part" }],
  ["ICV", { words: "between dinner and going to sleep", kind: "part" }],
]);

/** The system of the codes of whole timings, by all names that versions of FHIR and of its value set give it. */
export const TIMING_SYSTEM = /GTSAbbreviation$|timing-abbreviation$/;

const daily = (times: number): Rate => ({ times, period: 1, unit: "d" });
const hourly = (period: number): Rate => ({ times: 1, period, unit: "h" });

/**
 * The codes of whole timings (HL7, FHIR R4, value set timing-abbreviation, with the days of v3-GTSAbbreviation; of its
 * holidays only all of them together). JB and JE are business days and weekends by its definitions.
 */
export const TIMING_CODES = new Map<string, { words: string; rate?: Rate }>([
  ["BID", { words: "twice a day", rate: daily(2) }],
  ["TID", { words: "3 times a day", rate: daily(3) }],
  ["QID", { words: "4 times a day", rate: daily(4) }],
  ["AM", { words: "every morning", rate: daily(1) }],
  ["PM", { words: "every afternoon", rate: daily(1) }],
  ["QD", { words: "once a day", rate: daily(1) }],
  ["QOD", { words: "every other day", rate: { times: 1, period: 2, unit: "d" } }],
  ["Q1H", { words: "every hour", rate: hourly(1) }],
  ["Q2H", { words: "every 2 hours", rate: hourly(2) }],
  ["Q3H", { words: "every 3 hours", rate: hourly(3) }],
  ["Q4H", { words: "every 4 hours", rate: hourly(4) }],
  ["Q6H", { words: "every 6 hours", rate: hourly(6) }],
  ["Q8H", { words: "every 8 hours", rate: hourly(8) }],
  ["BED", { words: "at bedtime", rate: daily(1) }],
  ["WK", { words: "once a week", rate: { times: 1, period: 1, unit: "wk" } }],
  ["MO", { words: "once a month", rate: { times: 1, period: 1, unit: "mo" } }],
  ["JB", { words: "on business days, Monday to Friday except holidays" }],
  ["JE", { words: "on weekends, Saturday and Sunday except holidays" }],
  ["JH", { words: "on holidays" }],
]);

/** The days of the week (HL7, FHIR R4, value set days-of-week). */
export const DAYS = new Map([
  ["mon", "Monday"],
  ["tue", "Tuesday"],
  ["wed", "Wednesday"],
  ["thu", "Thursday"],
  ["fri", "Friday"],
  ["sat", "Saturday"],
  ["sun", "Sunday"],
]);
