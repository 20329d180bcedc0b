import { higher, type SafetyAlert } from "./alert.ts";
import { Classifier } from "./classifier.ts";
import { alertByRules, isContinuation } from "./rules.ts";
import type { Screening } from "./screening.ts";
import { type Sentence, sentencesOf } from "./words.ts";

const shipped = Classifier.shipped();

/**
 * How far below its threshold the classifier may judge a message in which a rule is met: rules see words, and a classifier
 * that is certain that a message is harmless has seen what is said with them ("we can't breathe for laughing"). Chosen on
 * the training sets: 99 of 100 alerts that meet a rule stay, and nearly half of the harmless messages that do are let go.
 */
export const DOUBT = 1;

/** How many earlier messages a continuing one is read together with. */
const EARLIER_MESSAGES = 3;

/**
 * Looks for signs that someone is in danger, before a model is asked, and whatever a model makes of it. Reviewed rules
 * catch what must never be missed; a small classifier, trained on labeled messages (`tools/safety`), what people say in
 * other words. Pure, and linear in the length of the message.
 *
 * @param message what the user says now
 * @param earlier the conversation's earlier user messages, oldest first; only the last ones are read
 * @returns the language, what was found if anything, and the certain alert of an earlier message
 */
export function screen(message: string, earlier: string[] = []): Screening {
  const sentences = sentencesOf(message);
  const recent = earlier.slice(-EARLIER_MESSAGES).map(sentencesOf);
  const alone = alertIn(sentences);
  const joined =
    recent.length > 0 && isContinuation(sentences) ? alertIn([...recent.flat(), ...sentences]) : undefined;
  const alert = higher(alone, joined);
  return {
    language: "en",
    finding: alert && { alert, certainty: "certain", decidedBy: "classifier", categoryCertain: true },
    earlierAlert: recent.reduce<SafetyAlert | undefined>((most, said) => higher(most, alertIn(said)), undefined),
  };
}

/** The alert in a message by itself, or in several read as one. */
export function alertIn(sentences: Sentence[], classifier = shipped): SafetyAlert | undefined {
  const { margin, alert } = classifier.judge(sentences);
  return higher(margin < -DOUBT ? undefined : alertByRules(sentences), alert);
}
