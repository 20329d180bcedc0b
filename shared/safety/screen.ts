import { higher, rank, type SafetyAlert } from "./alert.ts";
import { Classifier, type RuleFigures, type WeighedSentence } from "./classifier.ts";
import { languageOfConversation, recognizeLanguage } from "./language.ts";
import { alertInLanguage } from "./language-rules.ts";
import { isContinuation, RULE_BONUS, type Rule, readSentence, rulesMet } from "./rules.ts";
import type { Finding, Screening } from "./screening.ts";
import { boundedText, sentencesOf } from "./words.ts";

const shipped = Classifier.shipped();

/** Subtracted from the score of several messages read as one, because benign turns can add up to words of danger. */
const JOINED_DISCOUNT = 0.6;

/** The number of earlier messages read together with this one. */
const JOINED_MESSAGES = 2;

/** The number of earlier messages searched for a certain alert. */
const EARLIER_MESSAGES = 3;

/**
 * A rule is certain if 97% (rounded) of the labeled messages that match it are alerts, and there are enough of them.
 */
const CERTAIN_PRECISION = 0.965;
const LEAST_ALERTS = 3;

/**
 * The share of a rule's alerts that must have its category for the category to be certain. The others mostly belong to
 * a related category: a suicide attempt described like suicidal thoughts, a heart attack described as trouble
 * breathing.
 */
const CATEGORY_PRECISION = 0.85;

/** The margin over the threshold that the wording of a sensitive category requires. */
const CLEARLY = 0.5;

/** Categories whose wording does harm if it is wrong. */
const SENSITIVE = new Set<string>(["suicide-attempt", "suicidal-thoughts", "self-harm", "abuse", "pregnancy"]);

/**
 * Looks for signs that someone is in danger before the model is called and independently of its answer. Reviewed rules
 * catch what must never be missed; a small classifier, trained on labeled messages (`tools/safety`), catches what
 * people say in other words. Pure, and linear in the length of the message.
 *
 * @param message the user's new message
 * @param earlier the earlier user messages of the conversation, oldest first; only the last ones are read
 * @returns the language, what was found if anything, and the certain alert of an earlier message
 */
export function screen(message: string, earlier: string[] = []): Screening {
  return screenWith(shipped, message, earlier);
}

/** Like {@link screen}, with another classifier. */
export function screenWith(classifier: Classifier, message: string, earlier: string[] = []): Screening {
  const said = read(classifier, message);
  const before = earlier.slice(-EARLIER_MESSAGES).map((text) => read(classifier, text));
  const alone = findingIn(classifier, said);
  if (before.length === 0) {
    return alone;
  }
  const language = alone.language === "en" ? languageOfConversation([...earlier, message]) : alone.language;
  const earlierAlert = certainAlertIn(classifier, before);
  if (earlierAlert) {
    const repeated: Finding | undefined = isContinuation(said.sentences)
      ? { alert: earlierAlert, certainty: "certain", decidedBy: "classifier", categoryCertain: false }
      : undefined;
    return { language, finding: stronger(alone.finding, repeated), earlierAlert };
  }
  const joined = findingIn(classifier, joinedText([...before.slice(-JOINED_MESSAGES), said]), JOINED_DISCOUNT);
  return { language, finding: stronger(alone.finding, joined.finding) };
}

/** A message, or several messages read as one. */
interface Text {
  text: string;
  sentences: WeighedSentence[];
}

function read(classifier: Classifier, message: string): Text {
  const text = boundedText(message);
  return { text, sentences: sentencesOf(text).map((words) => classifier.weigh(readSentence(words))) };
}

function joinedText(texts: Text[]): Text {
  return { text: texts.map(({ text }) => text).join("\n"), sentences: texts.flatMap(({ sentences }) => sentences) };
}

/** Returns the highest certain alert in any of several messages or in all of them read as one. */
function certainAlertIn(classifier: Classifier, messages: Text[]): SafetyAlert | undefined {
  const findings = messages.map((text) => findingIn(classifier, text).finding);
  if (messages.length > 1) {
    findings.push(findingIn(classifier, joinedText(messages), JOINED_DISCOUNT).finding);
  }
  return findings
    .filter((finding) => finding?.certainty === "certain")
    .reduce<SafetyAlert | undefined>((most, finding) => higher(most, finding?.alert), undefined);
}

/**
 * Returns what the rules of its language, the English rules and the classifier find in one text.
 *
 * @param discount subtracted from the score of several messages read as one, in which no English rule is certain by
 *   itself
 */
function findingIn(classifier: Classifier, { text, sentences }: Text, discount = 0): Screening {
  const english = findingInEnglish(classifier, sentences, discount);
  const { language, candidates } = recognizeLanguage(text);
  for (const candidate of candidates) {
    const alert = alertInLanguage(text, candidate);
    if (alert) {
      const byRule: Finding = { alert, certainty: "certain", decidedBy: "rule", categoryCertain: true };
      return { language: candidate, finding: stronger(byRule, english) };
    }
  }
  return { language, finding: english };
}

function findingInEnglish(classifier: Classifier, sentences: WeighedSentence[], discount: number): Finding | undefined {
  const { header } = classifier;
  const met = rulesMet(sentences);
  const certain = met.filter((rule) => isCertain(header.rules[rule.name]));
  const judgement = classifier.judge(sentences);
  const { high, low } = header.thresholds[judgement.isLong ? "long" : "short"];
  const bonus = (met.length > 0 ? RULE_BONUS : 0) - discount;
  const total = judgement.score + bonus;
  const byRule = discount === 0 ? alertOfRules(certain) : undefined;
  const certainty = byRule || total >= high ? "certain" : total >= low ? "suspected" : undefined;
  if (!certainty) {
    return undefined;
  }
  const reached = total >= high ? high : total >= low ? low : undefined;
  // A window that would be certain as a separate message also decides the level of a long one.
  const decisive = reached === undefined ? undefined : Math.min(reached, header.thresholds.short.high);
  const judged = decisive === undefined ? undefined : judgement.alertAbove(decisive - bonus);
  const alert = higher(byRule ?? alertOfRules(met), judged?.alert) as SafetyAlert;
  return {
    alert,
    certainty,
    decidedBy: byRule && rank(byRule) === rank(alert) ? "rule" : "classifier",
    categoryCertain:
      certain.some((rule) => rule.alert.category === alert.category && isOwnCategory(header.rules[rule.name])) ||
      (judged?.alert.category === alert.category &&
        (SENSITIVE.has(alert.category)
          ? total >= high + CLEARLY && judged.categoryMargin >= header.categoryMargins.sensitive
          : total >= high && judged.categoryMargin >= header.categoryMargins.general)),
  };
}

function alertOfRules(rules: Rule[]): SafetyAlert | undefined {
  return rules.reduce<SafetyAlert | undefined>((most, rule) => higher(most, rule.alert), undefined);
}

function isCertain(figures: RuleFigures | undefined): boolean {
  return (
    figures !== undefined &&
    figures.alerts >= LEAST_ALERTS &&
    figures.alerts >= CERTAIN_PRECISION * (figures.alerts + figures.harmless)
  );
}

function isOwnCategory(figures: RuleFigures | undefined): boolean {
  return figures !== undefined && figures.sameCategory >= CATEGORY_PRECISION * figures.alerts;
}

/** Returns the more important finding: certain before suspected, then the higher level, then the first one. */
function stronger(first: Finding | undefined, second: Finding | undefined): Finding | undefined {
  const weight = (finding: Finding | undefined) =>
    finding === undefined ? 0 : (finding.certainty === "certain" ? 10 : 0) + rank(finding.alert);
  return weight(second) > weight(first) ? second : first;
}
