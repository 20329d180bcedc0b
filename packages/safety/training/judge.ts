import { join } from "node:path";
import { screen, stronger } from "../screen.ts";
import type { Classifier } from "../screening/classifier.ts";
import { WINDOW_WORDS } from "../words/windows.ts";
import { classifierOf, type Fold } from "./choose.ts";
import type { Judged } from "./figures.ts";
import { CORPUS, type Labeled, type LabeledConversation, readSource, type Source, trainingSources } from "./labeled.ts";
import { dilute, FOLDS, SHORT_ALARM, type TrainingText } from "./mix.ts";
import type { Chosen } from "./model.ts";

/**
 * Judges the sources that the screen is trained on, each message with a classifier that was not trained on it.
 *
 * @param texts from {@link trainingTexts}
 * @param folds trained on these texts
 * @param chosen with the same folds
 */
export function judgeTrainingSources(texts: TrainingText[], folds: Fold[], chosen: Chosen): Judged[] {
  const classifiers = folds.map((fold) => classifierOf(fold, chosen));
  const single = texts.filter(({ source }) => !/-(joined|turns)$/.test(source));
  const messages = single.map((message) => {
    const { finding } = screen(message.text, [], classifiers[message.fold] as Classifier);
    return { message, finding, rows: rowsOf(message, groupOf(message)) };
  });
  const conversations = trainingSources().flatMap(({ name, conversations }) =>
    conversations.flatMap((conversation, index) => judgeConversation(conversation, name, classifiers[index % FOLDS])),
  );
  return [...messages, ...conversations];
}

/**
 * Judges the short English alarms of some sources among ten everyday sentences of the first set that was put aside, if
 * the shipped screen shows them alone.
 */
export function judgeDiluted(sources: Source[]): Judged[] {
  const everyday = readSource(join(CORPUS, "put-aside", "messages.jsonl"))
    .messages.filter(({ category }) => category === "ordinary")
    .map(({ text }) => text);
  const alarms = sources
    .flatMap(({ messages }) => messages)
    .filter(({ level, text }) => {
      const { language, finding } = screen(text);
      const isTold = finding && finding.certainty !== "suspected";
      return level !== "none" && text.length <= SHORT_ALARM && language === "en" && isTold;
    });
  return dilute(alarms, everyday).map(({ alone, text }, index) => ({
    message: { ...alone, text },
    finding: screen(text).finding,
    rows: ["all", index % 2 === 0 ? "with punctuation" : "without punctuation"],
  }));
}

/** Judges a file with the shipped screen. */
export function judgeFile({ name, messages, conversations }: Source): Judged[] {
  return [
    ...messages.map((message) => {
      const { finding, language } = screen(message.text);
      return { message, finding, rows: [...rowsOf(message, name), `recognized as ${language}`] };
    }),
    ...conversations.flatMap((conversation) => judgeConversation(conversation, name)),
  ];
}

/** Counts all sets as one source, and their near misses as another. */
function groupOf({ source, level, category }: Labeled & { source: string }): string {
  return !source.startsWith("set-")
    ? source
    : level === "none" && category !== "ordinary"
      ? "sets, near misses"
      : "sets";
}

function rowsOf(message: Labeled, source: string): string[] {
  const isLong = message.text.split(/\s+/).length > WINDOW_WORDS;
  return [
    message.label === undefined ? source : `${source}, ${message.label}`,
    `category ${message.category}`,
    ...(message.level === "none" ? [] : [`all ${message.level === "crisis" ? "crises" : "emergencies"}`]),
    `${isLong ? "more than" : "up to"} ${WINDOW_WORDS} words`,
    "all",
  ];
}

/**
 * Judges a conversation turn by turn. In a harmless conversation, every turn is counted. In a dangerous one, the
 * strongest finding is counted, from the turn on at which the danger can be recognized, and separately the turns after
 * a certain alert.
 */
function judgeConversation(
  { level, category, turns }: LabeledConversation,
  name: string,
  classifier?: Classifier,
): Judged[] {
  const said = turns.filter(({ role }) => role === "user");
  const findings = said.map(({ content }, index) => {
    const earlier = said.slice(0, index).map((turn) => turn.content);
    return screen(content, earlier, classifier).finding;
  });
  if (level === "none") {
    return said.map(({ content }, index) => ({
      message: { text: content, level, category },
      finding: findings[index],
      rows: [`${name}, turns`],
    }));
  }
  const danger = Math.max(
    said.findIndex((turn) => turn.danger),
    0,
  );
  const found = findings.slice(danger);
  const finding = found.reduce(stronger, undefined);
  const alertAt = findings.findIndex((one) => one && one.certainty !== "suspected");
  const text = said.map(({ content }) => content).join(" / ");
  const after = alertAt < 0 ? [] : said.slice(alertAt + 1);
  return [
    { message: { text, level, category }, finding, rows: [`${name}, conversations`] },
    ...after.map(({ content }, index) => ({
      message: { text: content, level, category },
      finding: findings[alertAt + 1 + index],
      rows: [`${name}, repeated in later turns`],
    })),
  ];
}
