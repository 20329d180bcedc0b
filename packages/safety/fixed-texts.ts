import { alertOf, type Category, CRISES, LANGUAGES, type Language, type SafetyAlert } from "./alerts.ts";
import type { Caution } from "./cautions.ts";
import { parseDataFile } from "./data-file.ts";

/** The fixed texts of one language. */
interface FixedTexts {
  /** `meanwhile` is what to do until help arrives in each situation of `data/first-aid.json`. */
  emergency: { opening: string; meanwhile: Record<string, string> };
  crisis: { opening: Record<string, string>; offer: string };
  /** The alert texts that name no category, and what follows one that may be about abuse. */
  general: { emergency: string; crisis: string; abuse: string };
  /**
   * Whom to call when no model has judged a message: one that may be an emergency, and one that may be an emergency or a
   * crisis.
   */
  neutral: { body: string; any: string };
  /** Whom to call if it gets worse, by level, for a message in which the model sees no danger and the screen does. */
  safetyNet: Record<SafetyAlert["level"], string>;
  /** In place of an answer that the model did not give. */
  unanswered: string;
  disclosure: string;
  cut: string;
  /** Where the user has stopped an answer. */
  stopped: string;
  /** About a person in the conversation. */
  handoff: HandoffTexts;
  /**
   * `avoid`: an allergy to what may be no drug. `said`: of what is not in the record. `unchecked` stands for cautions
   * that could not be looked for.
   */
  caution: CautionTexts & { said: CautionTexts; unchecked: string };
}

type CautionTexts = Record<Caution["kind"] | "avoid", string>;

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

/** Whom a person in danger is told to call, as displayed; a part that does not exist is "". */
export interface HelpLines {
  emergencyNumber: string;
  crisisLine: string;
  crisisLineBy: "call" | "text" | "both";
  poisonControl: string;
  abuseLine: string;
}

/** An alert as worded in a reply: without a category if only its level is certain. */
export interface WordedAlert {
  level: SafetyAlert["level"];
  category: Category | undefined;
}

/** What a text about a danger says besides its level and category. */
export interface Advice {
  /** The name of the first aid; undefined if no situation is known. */
  firstAid: string | undefined;
  /** Whether it may be a danger of the mind, so that the text has the crisis line. */
  mayBeMeant: boolean;
  /** Whether it may be about abuse, so that the text has the line for it. */
  mayBeAbuse: boolean;
}

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
 * Returns the beginning of a reply to an alert: whom to call now, and what to do until help arrives in one situation; or
 * the crisis line. Without a situation or category, it is the general text of the level.
 */
export function openingText(
  { level, category }: WordedAlert,
  advice: Advice,
  language: Language,
  lines: HelpLines,
): string {
  const { emergency, crisis, general, disclosure } = textsIn(language);
  const aid = aidText(advice, language);
  const abuse = advice.mayBeAbuse && (category !== "abuse" || aid !== undefined) ? general.abuse : "";
  if (level === "crisis" && aid === undefined) {
    return filled([category === undefined ? general.crisis : crisis.opening[category], abuse], lines);
  }
  const needsLine = advice.mayBeMeant && !aid?.includes(CRISIS_LINE);
  return filled(
    [aid === undefined || needsLine ? general.emergency : emergency.opening, aid, abuse, disclosure],
    lines,
  );
}

/** The place of the crisis line in a text. */
const CRISIS_LINE = "{crisisLine}";

function aidText({ firstAid }: Advice, language: Language): string | undefined {
  return firstAid === undefined ? undefined : textsIn(language).emergency.meanwhile[firstAid];
}

function filled(parts: (string | undefined)[], lines: HelpLines): string {
  return parts
    .map((part) => fill(part ?? "", valuesOf(lines)))
    .filter((part) => part !== "")
    .join("\n\n");
}

/**
 * Recognizes the beginning of a reply to an alert in an answer that somebody else has kept, in any language.
 *
 * @param lines those that the texts named
 * @returns the alert; its category only if the text names one
 */
export function alertIn(answer: string, lines: HelpLines): SafetyAlert | undefined {
  if (!answer.includes(lines.emergencyNumber)) {
    return undefined; // every opening has it, and most answers do not
  }
  const words = withSingleSpaces(answer);
  for (const language of LANGUAGES) {
    const { emergency, crisis, general } = textsIn(language);
    const openings: [string, Category][] = [
      [emergency.opening, "other"],
      [general.emergency, "other"],
      [general.crisis, "suicidal-thoughts"],
      ...CRISES.map((category): [string, Category] => [crisis.opening[category] ?? "", category]),
    ];
    const values = valuesOf(lines);
    const isSaid = ([opening]: [string, Category]) =>
      opening !== "" && words.includes(withSingleSpaces(fill(opening, values)));
    const category = openings.find(isSaid)?.[1];
    if (category !== undefined) {
      return alertOf(category);
    }
  }
  return undefined;
}

function withSingleSpaces(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Stands between the text of a crisis and the model's words: an offer to go on talking, true only if there are any. */
export function offerText(language: Language): string {
  return textsIn(language).crisis.offer;
}

/** Whom to call, when no model has judged a message that may be an emergency or a crisis, and what to do until then. */
export function neutralText(advice: Advice, language: Language, lines: HelpLines): string {
  const { neutral, general } = textsIn(language);
  const aid = aidText(advice, language);
  const isBody = aid !== undefined && (!advice.mayBeMeant || aid.includes(CRISIS_LINE));
  return filled([isBody ? neutral.body : neutral.any, aid, advice.mayBeAbuse ? general.abuse : ""], lines);
}

/** Whom to call if it gets worse. */
export function safetyNetText({ level }: SafetyAlert, language: Language, lines: HelpLines): string {
  return fill(textsIn(language).safetyNet[level], valuesOf(lines));
}

/** In place of an answer that the model did not give. */
export function unansweredText(language: Language): string {
  return textsIn(language).unanswered;
}

/** Follows an answer to an alert that the model did not complete. */
export function cutText(language: Language): string {
  return textsIn(language).cut;
}

/** Follows the beginning of an answer that the user has stopped, or takes its place. */
export function stoppedText(language: Language): string {
  return textsIn(language).stopped;
}

/**
 * In place of an answer while a person has taken over.
 *
 * @param by the person's name; null if none was given
 */
export function heldText(by: string | null, language: Language, lines: HelpLines): string {
  const { handoff } = textsIn(language);
  return fill(handoff.held, { ...valuesOf(lines), person: by ?? handoff.somebody });
}

/** Follows an answer, and says whether anybody answers a request for a person. */
export function handoffText(
  outcome: "told" | "impossible" | "unanswered",
  language: Language,
  lines: HelpLines,
): string {
  return fill(textsIn(language).handoff[outcome], valuesOf(lines));
}

/** Follows an answer about a drug that the patient's record, or what the user has said, contraindicates. */
export function cautionText(caution: Caution, language: Language): string {
  const texts = textsIn(language).caution;
  const isUnlisted = caution.kind === "allergy" && caution.isUnlisted;
  return fill((caution.said ? texts.said : texts)[isUnlisted ? "avoid" : caution.kind], caution);
}

/** In place of cautions that could not be looked for. */
export function uncheckedText(language: Language): string {
  return textsIn(language).caution.unchecked;
}

/** Words with a condition: `{poisonControl?There is a line for poisons: {poisonControl}.}`. */
const OPTIONAL = /\{(\w+)\?((?:[^{}]|\{\w+\})*)\}/g;

/** The numbers, and `call`, `text` or `both` as the way to reach the crisis line. */
function valuesOf(lines: HelpLines): object {
  return { ...lines, [lines.crisisLineBy]: true };
}

/** Writes values into a text, without the words whose value is missing. */
function fill(text: string, values: object): string {
  const byName = new Map<string, unknown>(Object.entries(values));
  const present = text.replaceAll(OPTIONAL, (_, name: string, words: string) => (byName.get(name) ? words : ""));
  return present.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(byName.get(name) ?? whole));
}
