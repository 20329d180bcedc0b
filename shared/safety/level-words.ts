import { alertOf, type Category, CRISES, EMERGENCIES, rank, type SafetyAlert } from "./alert.ts";
import { patternsIn } from "./data-file.ts";

/** A model's assessment, as far as it can be read. */
export interface ReadLevel {
  /** Undefined if nobody is in danger. */
  alert: SafetyAlert | undefined;
  /** Whether the category was named; otherwise it is the usual one of the level. */
  named: boolean;
}

/** A category, however its words are joined. */
const CATEGORY = [...EMERGENCIES, ...CRISES]
  .filter((category) => category !== "other")
  .map((category) => category.replaceAll("-", "[ _-]?"))
  .join("|");

/** The patterns that `data/level-words.json` explains, in upper and lower case. */
const patternOf = patternsIn("level-words.json", { category: CATEGORY });

/** Returns one of them. */
export function levelPattern(name: string): RegExp {
  return patternOf(name, "gi");
}

/** Returns the alternatives of one of them that has nothing but words. */
export function levelWords(name: string): string[] {
  return levelPattern(name).source.split("|");
}

/** The beginnings of words for a level, and of categories. */
export const STEMS = [...["emergency", "crisis", "none"].flatMap(levelWords), ...EMERGENCIES, ...CRISES].map(
  (word) => /^[^[(?]+(?!\?)/.exec(word)?.[0] ?? "",
);

/**
 * Reads the level in a text that a model wrote for the service: the highest that follows a key, such as `level: crisis`
 * or `"level": "crisis"`, or without a key, the first one.
 *
 * @param text as {@link folded} returns it
 * @returns undefined if no level can be read
 */
export function readLevel(text: string): ReadLevel | undefined {
  const keyed = [...text.matchAll(levelPattern("after-key"))].map(([, level = ""]) => level);
  const words = keyed.length > 0 ? keyed : (text.match(levelPattern("any"))?.slice(0, 1) ?? []);
  const categories = (text.match(levelPattern("named")) ?? []).map((name) =>
    name.toLowerCase().replaceAll(/[ _]/g, "-"),
  );
  return words
    .map((word) => levelOf(word, categories))
    .reduce<ReadLevel | undefined>(
      (most, read) => (rank(read.alert) > rank(most?.alert) ? read : (most ?? read)),
      undefined,
    );
}

function levelOf(word: string, categories: string[]): ReadLevel {
  const isWordFor = (level: string) => word.replace(levelPattern(level), "") === "";
  if (isWordFor("none")) {
    return { alert: undefined, named: false };
  }
  const among = isWordFor("emergency") ? EMERGENCIES : isWordFor("crisis") ? CRISES : [...EMERGENCIES, ...CRISES];
  const category = (among as readonly Category[]).find((each) => categories.includes(each));
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
  const read = ["after-key", "first"].some((name) => plain.search(levelPattern(name)) >= 0)
    ? readLevel(plain)
    : undefined;
  const contradicts = read && !read.alert && plain.search(levelPattern("danger-named")) >= 0;
  return contradicts ? undefined : read && { ...read, named: read.named && !/unsure/i.test(plain) };
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
