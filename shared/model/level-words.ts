import {
  alertOf,
  type Category,
  CRISES,
  EMERGENCIES,
  highestOf,
  type SafetyAlert,
} from "../../packages/safety/alerts.ts";
import listed from "./data/level-words.json" with { type: "json" };

/** A model's assessment, as far as it can be read. */
export interface ReadLevel {
  /** Undefined if nobody is in danger. */
  alert: SafetyAlert | undefined;
  /** Whether the category was named; otherwise it is the usual one of the level. */
  named: boolean;
}

/**
 * What a text about the level consists of: what precedes a level ("level", "nivel"), the levels, the categories, the
 * word "category", and the words beside them in JSON and in sentences. Models translate them into the languages that
 * they answer in.
 */
type Role = "key" | "emergency" | "crisis" | "none" | "category" | "naming" | "beside";

/** One or several words with a role; undefined for a word that has none. */
export interface Said {
  phrase: string;
  role: Role | undefined;
}

const LEVELS: readonly (Role | undefined)[] = ["emergency", "crisis", "none", "category"];

const ROLES = new Map<string, Role>([
  ...listed.beside.flatMap((line) => line.split(" ").map((word) => [word, "beside"] as const)),
  ...[...EMERGENCIES, ...CRISES].map((category) => [category.replaceAll("-", " "), "category"] as const),
  ...(["key", "emergency", "crisis", "none"] as const).flatMap((role) =>
    listed[role].map((phrase) => [phrase, role] as const),
  ),
  ["category", "naming"],
]);

/** The maximum number of words with a role together: "level of danger". */
export const LONGEST_PHRASE = 3;

/** All single words of texts about the level. */
const WORDS = new Set([...ROLES.keys()].flatMap((phrase) => phrase.split(" ")));

/** Whether a word, or with `unfinished` its beginning, occurs in texts about the level. */
export function isLevelWord(word: string, unfinished = false): boolean {
  const lower = word.toLowerCase();
  return WORDS.has(lower) || (unfinished && [...WORDS].some((each) => each.startsWith(lower)));
}

/** Returns what the words of a text are. */
export function saidIn(words: readonly string[]): Said[] {
  const said: Said[] = [];
  for (let at = 0; at < words.length; ) {
    let count = Math.min(LONGEST_PHRASE, words.length - at);
    let phrase = phraseOf(words, at, count);
    while (count > 1 && !ROLES.has(phrase)) {
      phrase = phraseOf(words, at, --count);
    }
    said.push({ phrase, role: ROLES.get(phrase) });
    at += count;
  }
  return said;
}

function phraseOf(words: readonly string[], from: number, count: number): string {
  return words
    .slice(from, from + count)
    .join(" ")
    .toLowerCase();
}

export function isLevel({ role }: Said): boolean {
  return LEVELS.includes(role);
}

/** Whether a level follows a key, such as `level: crisis`, `"level": "crisis"`, or "the level is crisis". */
export function hasKeyedLevel(said: readonly Said[]): boolean {
  return keyedLevels(said).length > 0;
}

function keyedLevels(said: readonly Said[]): Said[] {
  const telling = said.filter(({ role }) => role !== "beside");
  return telling.filter((each, index) => isLevel(each) && telling[index - 1]?.role === "key");
}

/** A copy of the instruction, which lists the levels. */
const ALTERNATIVES = /none["' ]*\|/i;

/**
 * Reads the level in a text that a model wrote for the service: the highest that follows a key, or in a text without a
 * key, the first one.
 *
 * @param text as {@link folded} returns it
 * @returns undefined if no level can be read
 */
export function readLevel(text: string): ReadLevel | undefined {
  return levelIn(saidIn(wordsIn(text)), text);
}

function levelIn(said: readonly Said[], text: string): ReadLevel | undefined {
  const keyed = keyedLevels(said);
  const levels = keyed.length > 0 || said.some(({ role }) => role === "key") ? keyed : said.filter(isLevel).slice(0, 1);
  return ALTERNATIVES.test(text) ? undefined : highestOf(levels.map((level) => levelOf(level, said)));
}

function levelOf({ role }: Said, said: readonly Said[]): ReadLevel {
  if (role === "none") {
    return { alert: undefined, named: false };
  }
  const among = role === "emergency" ? EMERGENCIES : role === "crisis" ? CRISES : [...EMERGENCIES, ...CRISES];
  const names = said.map(({ phrase }) => phrase.replaceAll(" ", "-"));
  const category = (among as readonly Category[]).find((each) => names.includes(each));
  return {
    alert: alertOf(category ?? (among === CRISES ? "suicidal-thoughts" : "other")),
    named: category !== undefined,
  };
}

/** Why the model requests a person: the user asked for one, or the model cannot help. */
export type HandoffSignal = "asked" | "unable";

/**
 * Reads why the model requests a person.
 *
 * @param marker a level marker, as {@link folded} returns it
 * @returns undefined if it does not
 */
export function readHandoff(marker: string): HandoffSignal | undefined {
  const [, reason] = /handoff["*_` ]*[:=]["*_` ]*(asked|unable)/i.exec(marker) ?? [];
  return reason?.toLowerCase() as HandoffSignal | undefined;
}

/**
 * Reads a model's reply to the request for a verdict: JSON, or what models write instead of it.
 *
 * @returns undefined if it has no level, as in a refusal or in an answer to the patient, or if its category contradicts
 *   its level
 */
export function readVerdict(text: string): ReadLevel | undefined {
  const plain = folded(text);
  const said = saidIn(wordsIn(plain));
  const [first] = said;
  const read = hasKeyedLevel(said) || (first && isLevel(first)) ? levelIn(said, plain) : undefined;
  const names = said.filter(({ role }, index) => role === "category" && said[index - 1]?.role === "naming");
  const contradicts = read && !read.alert && names.some(({ phrase }) => phrase !== "other");
  return contradicts ? undefined : read && { ...read, named: read.named && !/unsure/i.test(plain) };
}

/** Returns the words of a text, without digits. */
export function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{M}]+/gu) ?? [];
}

/** Brackets, quotation marks, dashes and spaces of other scripts and fonts, and the usual ones in the same order. */
const UNUSUAL = "«»【】〔〕〖〗「」『』“”‘’–—\u00a0\u2007\u200b\u200c\u200d\u202f\u2060\u3000\ufeff";
const USUAL = `()[][][][][]""""--         `;

const TO_FOLD = new RegExp(`[${UNUSUAL}\uff01-\uff5e]`, "g");

/**
 * Returns a text with the usual characters instead of full-width and {@link UNUSUAL} ones. The length stays the same,
 * so that places in one are places in the other.
 */
export function folded(text: string): string {
  return text.replaceAll(
    TO_FOLD,
    (character) => USUAL[UNUSUAL.indexOf(character)] ?? String.fromCharCode(character.charCodeAt(0) - 0xfee0),
  );
}
