import { type Alarm, higher } from "./alarm.ts";
import { Classifier } from "./classifier.ts";
import { alarmByRules, isContinuation } from "./rules.ts";
import { type Sentence, sentencesOf } from "./words.ts";

const classifier = Classifier.shipped();

/** How many earlier messages a continuing one is read together with. */
const EARLIER_MESSAGES = 3;

/**
 * Looks for signs that someone is in danger, before a model is asked, and whatever a model makes of it. Reviewed rules
 * catch what must never be missed; a small classifier, trained on labelled messages (`test/safety`), what people say in
 * other words. Pure, and linear in the length of the message.
 *
 * @param message what the user says now
 * @param earlier the thread's user messages, oldest first; the last ones count when this one goes on with them ("it's
 *   getting worse")
 * @returns the higher of what rules and classifier find
 */
export function screen(message: string, earlier: string[] = []): Alarm | undefined {
  const sentences = sentencesOf(message);
  const alarm = alarmIn(sentences);
  if (earlier.length === 0 || !isContinuation(sentences)) {
    return alarm;
  }
  const before = earlier.slice(-EARLIER_MESSAGES).flatMap(sentencesOf);
  return higher(alarm, alarmIn([...before, ...sentences]));
}

function alarmIn(sentences: Sentence[]): Alarm | undefined {
  return higher(alarmByRules(sentences), classifier.alarmIn(sentences));
}
