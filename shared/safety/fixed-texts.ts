import { config } from "../config.ts";
import type { Category, SafetyAlert } from "./alert.ts";
import type { Caution } from "./cautions.ts";
import { parseDataFile } from "./data-file.ts";
import { firstAidText } from "./first-aid.ts";
import type { Language } from "./screening.ts";

/** The fixed texts of one language. */
interface FixedTexts {
  /** `meanwhile` is the advice for each category, and of `special-advice.ts`. */
  emergency: { opening: string; meanwhile: Record<string, string> };
  crisis: { opening: Record<string, string>; offer: string };
  /** The alert texts that name no category, and what follows one that may be about abuse. */
  general: { emergency: string; crisis: string; abuse: string };
  /** Whom to call, for a message that may be an emergency or a crisis when no model has judged it. */
  neutral: string;
  /** Whom to call if it gets worse, by level, for a message in which the model sees no danger and the screen does. */
  safetyNet: Record<SafetyAlert["level"], string>;
  /** In place of an answer that the model did not give. */
  unanswered: string;
  disclosure: string;
  cut: string;
  /** About a person in the conversation. */
  handoff: HandoffTexts;
  caution: { allergy: string; interaction: string; condition: string };
}

interface HandoffTexts {
  /** Who has taken over, if no name was given. */
  somebody: string;
  /** In place of an answer while a person has taken over. */
  held: string;
  /** A person was requested, and the care team is informed. */
  told: string;
  /** A person was requested, and nobody is told. */
  impossible: string;
  /** Nobody has taken over in time. */
  unanswered: string;
}

/**
 * The format of `data/fixed-texts.json` and of a deployment's own file (context value `safetyTexts`): the English texts
 * and, optionally, a deployment's own texts in other languages, keyed by the names of the `data/languages` files they
 * replace.
 */
interface TextFile extends FixedTexts {
  languages?: Record<string, FixedTexts>;
}

/** An alert as worded in a reply: without a category if only its level is certain. */
export interface WordedAlert {
  level: SafetyAlert["level"];
  category: Category | undefined;
  /** The names of the first aid that the message shows the need of, besides that of the category. */
  firstAid?: string[];
  /** Whether it may be a suicide attempt, so that an emergency has the crisis line. */
  mayBeMeant?: boolean;
}

/** More than two at once are not followed. */
const MOST_FIRST_AID = 2;

/** Among the first aid: a line to call, which is said with an alert of any category. */
export const ABUSE = "abuse";

const file = parseDataFile<TextFile>("fixed-texts.json");

const loaded = new Map<Language, FixedTexts>();

/** The texts of a language, read on first use. */
function textsIn(language: Language): FixedTexts {
  const texts = loaded.get(language) ?? (language === "en" ? file : readLanguage(language.toLowerCase()));
  loaded.set(language, texts);
  return texts;
}

function readLanguage(name: string): FixedTexts {
  return file.languages?.[name] ?? parseDataFile<{ texts: FixedTexts }>(`languages/${name}.json`).texts;
}

/**
 * Returns the beginning of a reply to an alert: whom to call now and what to do until help arrives, or the crisis line.
 * Without a category or first aid, it is the general text of the level.
 */
export function openingText({ level, category, firstAid = [], mayBeMeant }: WordedAlert, language: Language): string {
  const { emergency, crisis, general, disclosure } = textsIn(language);
  const all = new Set(category === undefined ? firstAid : [...firstAid, category]);
  const abuse = all.delete(ABUSE) && category !== ABUSE ? [general.abuse] : [];
  const names = [...all].slice(0, MOST_FIRST_AID);
  const aid = names.flatMap((name) => emergency.meanwhile[name] ?? firstAidText(name) ?? []);
  const parts =
    level === "emergency"
      ? [aid.length === 0 || mayBeMeant ? general.emergency : emergency.opening, ...aid, ...abuse, disclosure]
      : [category === undefined ? general.crisis : crisis.opening[category], ...abuse];
  const filled = parts.map((part) => fill(part ?? "", helpLines()));
  return filled.filter((part) => part !== "").join("\n\n");
}

/** Stands between the text of a crisis and the model's words: an offer to go on talking, true only if there are any. */
export function offerText(language: Language): string {
  return textsIn(language).crisis.offer;
}

/**
 * Whom to call, when no model has judged a message that may be an emergency or a crisis.
 *
 * @param suspected with poison control if it is a poisoning, and the line for abuse if it is that
 */
export function neutralText(language: Language, suspected?: Category): string {
  const { neutral, emergency, general } = textsIn(language);
  const more = suspected === "poisoning" ? emergency.meanwhile.poisoning : suspected === ABUSE ? general.abuse : "";
  return fill([neutral, more].join("\n\n"), helpLines()).trimEnd();
}

/** Whom to call if it gets worse. */
export function safetyNetText({ level }: SafetyAlert, language: Language): string {
  return fill(textsIn(language).safetyNet[level], helpLines());
}

/** In place of an answer that the model did not give. */
export function unansweredText(language: Language): string {
  return textsIn(language).unanswered;
}

/** Follows an answer to an alert that the model did not complete. */
export function cutText(language: Language): string {
  return textsIn(language).cut;
}

/**
 * In place of an answer while a person has taken over.
 *
 * @param by the person's name; null if none was given
 */
export function heldText(by: string | null, language: Language): string {
  const { handoff } = textsIn(language);
  return fill(handoff.held, { ...helpLines(), person: by ?? handoff.somebody });
}

/** Follows an answer, and says what became of a request for a person. */
export function handoffText(outcome: "told" | "impossible" | "unanswered", language: Language): string {
  return fill(textsIn(language).handoff[outcome], helpLines());
}

/** Follows an answer that names a drug contraindicated by the patient's record. */
export function cautionText({ kind, ...values }: Caution, language: Language): string {
  return fill(textsIn(language).caution[kind], values);
}

/** Words with a condition: `{poisonControl?There is a line for poisons: {poisonControl}.}`. */
const OPTIONAL = /\{(\w+)\?((?:[^{}]|\{\w+\})*)\}/g;

/** The numbers, and `call`, `text` or `both` as the way to reach the crisis line. */
function helpLines(): object {
  const { helpLines } = config;
  return { ...helpLines, [helpLines.crisisLineBy]: true };
}

/** Writes values into a text, without the words whose value is missing. */
function fill(text: string, values: object): string {
  const present = text.replaceAll(OPTIONAL, (_, name: string, words: string) =>
    values[name as keyof typeof values] ? words : "",
  );
  return present.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name as keyof typeof values] ?? whole),
  );
}
