import {
  alertOf,
  type Category,
  CRISES,
  EMERGENCIES,
  highestOf,
  type SafetyAlert,
} from "../../packages/safety/alerts.ts";
import words from "./data/level-words.json" with { type: "json" };

/** A model's assessment, as far as it can be read. */
export interface ReadLevel {
  /** Undefined if nobody is in danger. */
  alert: SafetyAlert | undefined;
  /** Whether the category was named; otherwise it is the usual one of the level. */
  named: boolean;
}

/** What precedes a level, also in the languages of the fixed texts, in which models like to translate it. */
export const KEYS = words.keys;

/** The words for each level, as regular expressions. */
const LEVELS = {
  emergency: words.emergency.join("|"),
  crisis: words.crisis.join("|"),
  none: words.none.join("|"),
};

/** A category, however its words are joined. */
export const CATEGORY = [...EMERGENCIES, ...CRISES]
  .filter((category) => category !== "other")
  .map((category) => category.replaceAll("-", "[ _-]?"))
  .join("|");

/** One word for a level, or a category, which implies one; not one of the alternatives in a copied instruction. */
export const LEVEL = `(?<!\\|["' ]*)(?:${Object.values(LEVELS).join("|")}|${CATEGORY})(?![a-zß-ÿ])(?!["' ]*\\|["' ]*(?:none|crisis))`;

/** The beginnings of those words. */
export const STEMS = [...Object.values(LEVELS).join("|").split("|"), ...EMERGENCIES, ...CRISES].map(
  (word) => /^[^[(?]+(?!\?)/.exec(word)?.[0] ?? "",
);

/** Markdown and quotation marks. */
export const MARKUP = "[ \\t*_`#>~\"'|-]";

/** The same and brackets. */
export const DECORATION = "[ \\t*_`#>~\"'|\\[\\](){}<-]";

export const KEY = `(?<![a-zß-ÿ])(?:${KEYS.join("|")})(?: of danger)?`;

/** Between a key and its level. */
export const SEPARATOR = `${DECORATION}{0,6}(?:[:=]|is )?\\s?${DECORATION}{0,8}`;

const AFTER_KEY = new RegExp(`${KEY}${SEPARATOR}(${LEVEL})`, "gi");
const ANY = new RegExp(`(?<![a-zß-ÿ])${LEVEL}`, "gi");
const [EMERGENCY, CRISIS, NONE] = Object.values(LEVELS).map((words) => new RegExp(`^(?:${words})$`, "i"));
const NAMED = new RegExp(`(?<![a-z])(?:${CATEGORY}|other)(?![a-z])`, "gi");

/**
 * Reads the level in a text that a model wrote for the service: the highest that follows a key, such as `level: crisis`
 * or `"level": "crisis"`, or without a key, the first one.
 *
 * @param text as {@link folded} returns it
 * @returns undefined if no level can be read
 */
export function readLevel(text: string): ReadLevel | undefined {
  const keyed = [...text.matchAll(AFTER_KEY)].map(([, level = ""]) => level);
  const words = keyed.length > 0 ? keyed : (text.match(ANY)?.slice(0, 1) ?? []);
  const categories = (text.match(NAMED) ?? []).map((name) => name.toLowerCase().replaceAll(/[ _]/g, "-"));
  return highestOf(words.map((word) => levelOf(word, categories)));
}

function levelOf(word: string, categories: string[]): ReadLevel {
  if (NONE?.test(word)) {
    return { alert: undefined, named: false };
  }
  const among = EMERGENCY?.test(word) ? EMERGENCIES : CRISIS?.test(word) ? CRISES : [...EMERGENCIES, ...CRISES];
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

/** A category that is named as one, not in prose. */
const DANGER_NAMED = new RegExp(`category["' ]*[:=]["' ]*(?:${CATEGORY})(?![a-z])`, "i");

const FIRST = new RegExp(`^${DECORATION}*${LEVEL}`, "i");

/**
 * A reply that is longer is no JSON of three fields, so only its beginning and its end are read: the patterns look back
 * over all the quotation marks before a level.
 */
const LONGEST_VERDICT = 2_000;

/**
 * Reads a model's reply to the request for a verdict: JSON, or what models write instead of it.
 *
 * @returns undefined if it has no level, as in a refusal or in an answer to the patient, or if its category contradicts
 *   its level
 */
export function readVerdict(text: string): ReadLevel | undefined {
  const half = LONGEST_VERDICT / 2;
  const plain = folded(text.length <= LONGEST_VERDICT ? text : `${text.slice(0, half)}\n${text.slice(-half)}`);
  const read = plain.search(AFTER_KEY) >= 0 || FIRST.test(plain) ? readLevel(plain) : undefined;
  const contradicts = read && !read.alert && DANGER_NAMED.test(plain);
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
