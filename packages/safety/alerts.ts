/**
 * What may be wrong with the person that a message is about. The labeling guide (`training/corpus/README.md`)
 * defines the categories; `other` is an emergency that a model detected without naming one of these.
 */
export const EMERGENCIES = [
  "cardiac",
  "stroke",
  "breathing",
  "bleeding",
  "poisoning",
  "unconscious",
  "head-injury",
  "pregnancy",
  "infection",
  "infant-fever",
  "suicide-attempt",
  "other",
] as const;

export const CRISES = ["suicidal-thoughts", "self-harm", "abuse"] as const;

export type Category = (typeof EMERGENCIES)[number] | (typeof CRISES)[number];

/** Categories of the mind rather than the body. */
export const MIND: readonly Category[] = [...CRISES, "suicide-attempt"];

/** Categories whose wording hurts if it is wrong. */
export const DELICATE: readonly Category[] = [...MIND, "pregnancy"];

/**
 * Someone may need an emergency service within hours, or a person to talk to today. Everywhere, undefined means no
 * alert.
 */
export interface SafetyAlert {
  level: "crisis" | "emergency";
  category: Category;
}

/** Returns the alert of a category, which determines the level. */
export function alertOf(category: Category): SafetyAlert {
  return { level: (CRISES as readonly string[]).includes(category) ? "crisis" : "emergency", category };
}

/** Returns 0 without an alert, 1 for a crisis, 2 for an emergency. */
export function rank(alert: SafetyAlert | undefined): number {
  return alert === undefined ? 0 : alert.level === "crisis" ? 1 : 2;
}

/** Returns the first of those with the highest alert. */
export function highestOf<T extends { alert: SafetyAlert | undefined }>(all: T[]): T | undefined {
  const highest = Math.max(...all.map(({ alert }) => rank(alert)));
  return all.find(({ alert }) => rank(alert) === highest);
}

/** The languages that have rules and fixed texts, as BCP 47 tags. */
export const LANGUAGES = ["en", "es", "pt", "fr", "de", "zh", "zh-Hant", "vi", "tl", "ar", "ko", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What the screen found in a message. */
export interface Finding {
  alert: SafetyAlert;
  /**
   * `certain`: the fixed text is shown first, immediately. `likely`: the model decides between that text and a sentence
   * that says whom to call if it gets worse; without its verdict, it is that text. `suspected`: the model decides
   * between that text and nothing; without its verdict, it is a short neutral text.
   */
  certainty: "certain" | "likely" | "suspected";
  decidedBy: "rule" | "classifier";
  /** Whether the category itself is certain; if not, the fixed text is the general one of the alert's level. */
  categoryCertain: boolean;
  /** The phrases of the message that the finding rests on, as they were written. Never logged. */
  evidence: string[];
}

/** The result of screening a message in its conversation. */
export interface Screening {
  /** The language of the message; English if it is in none of {@link LANGUAGES}. */
  language: Language;
  /** Undefined if the message is not a reason for an alert. */
  finding: Finding | undefined;
  /**
   * The highest certain alert among the last earlier messages, which the conversation is about, whatever this message
   * says.
   */
  earlierAlert?: SafetyAlert | undefined;
}
