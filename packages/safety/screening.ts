import type { SafetyAlert } from "./alert.ts";

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
