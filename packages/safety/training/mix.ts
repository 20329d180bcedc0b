import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generator } from "./generator.ts";
import { grammarMessages } from "./grammar.ts";
import { CORPUS, type Labeled, type LabeledConversation, trainingSources } from "./labeled.ts";

/** The number of parts of the cross-validation. */
export const FOLDS = 4;

/** The number of user messages in a conversation that are read together. */
const JOINED_MESSAGES = 3;

/** The source of alarms among everyday sentences. */
export const DILUTED = "diluted";

/** The number of everyday sentences around a diluted alarm. */
const EVERYDAY_SENTENCES = 10;

/** One in so many alarms of the sets is diluted, if it has at most so many characters. */
const DILUTED_PART = 16;
export const SHORT_ALARM = 160;

/**
 * The kinds of harmless messages that thresholds are chosen for, and their estimated shares of what a clinic's chat
 * contains. Half of it is about appointments, refills and small talk, a quarter asks about health, a sixth describes
 * symptoms. Long personal posts, and danger that is denied or invented, are rare there, although they are half of the
 * labeled text, since they are hard to tell from alarms. With an equal weight for every source, the rare kinds would
 * set the thresholds, at the cost of alarms.
 */
export const SHARES = { requests: 0.5, health: 0.25, symptoms: 0.17, personal: 0.05, "near misses": 0.03 };
export type Kind = keyof typeof SHARES;

/** A text to train on. */
export interface TrainingText extends Labeled {
  /** The source under which it is counted when thresholds are chosen and results reported. */
  source: string;
  /** The part of the cross-validation that it belongs to. */
  fold: number;
}

/** All training data of the classifier: labeled messages, the grammar's complaints, and conversations. */
export function trainingTexts(): TrainingText[] {
  const quoted = quotedSentences();
  const texts = trainingSources().flatMap(({ name, messages, conversations }) => {
    if (name.startsWith("set-")) {
      return inFold(messages, name, () => Number(name.slice(4)) % FOLDS);
    }
    return [
      ...inFold(messages, name),
      ...conversations.flatMap((conversation, index) => turnsOf(conversation, name, index)),
    ];
  });
  const known = [...texts, ...inFold(grammarMessages(), "grammar")].filter(({ text }) => !quoted.has(normalized(text)));
  return [...known, ...dilutedTexts(known), ...unpunctuatedTexts(known)];
}

/** Returns the kind of a harmless message. */
export function kindOf({ source, category }: TrainingText): Kind {
  const isSet = source.startsWith("set-");
  if (source.endsWith("near-misses") || (isSet && category !== "ordinary" && category !== "mild")) {
    return "near misses";
  }
  if (category === "mild" || ["calm-symptom-lists", "complaints", "minor", "grammar"].includes(source)) {
    return "symptoms";
  }
  return source.startsWith("calm-") ? "personal" : isSet || source === "health-questions" ? "health" : "requests";
}

/** An alarm among everyday sentences. */
export interface Diluted<T> {
  alone: T;
  text: string;
}

/**
 * Puts each alarm between ten everyday sentences at a random place, every second one without punctuation.
 *
 * @param everyday texts of which consecutive sentences are taken
 */
export function dilute<T extends Labeled>(alarms: T[], everyday: string[]): Diluted<T>[] {
  const random = generator(1);
  const sentences = everyday.flatMap((text) => text.split(/(?<=[.!?])\s+/));
  return alarms.map((alone, index) => {
    const first = random() % Math.max(sentences.length - EVERYDAY_SENTENCES, 1);
    const story = sentences.slice(first, first + EVERYDAY_SENTENCES);
    const text = story
      .toSpliced(random() % story.length, 0, alone.text)
      .map((sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`))
      .join(" ");
    return { alone, text: index % 2 === 0 ? text : unpunctuated(text) };
  });
}

/** Alarms of the sets, a sample of {@link DILUTED_PART}, among sentences of calm texts of the same part. */
function dilutedTexts(texts: TrainingText[]): TrainingText[] {
  return Array.from({ length: FOLDS }, (_, fold) => texts.filter((text) => text.fold === fold)).flatMap((part) => {
    const calm = part.filter(({ source }) => source.startsWith("calm-")).map(({ text }) => text);
    const alarms = part.filter(({ source, level }) => source.startsWith("set-") && level !== "none");
    const short = alarms.filter(({ text }, index) => index % DILUTED_PART === 0 && text.length <= SHORT_ALARM);
    return dilute(short, calm).map(({ alone, text }) => ({ ...alone, text, source: DILUTED }));
  });
}

/** Every second calm text once more, written without punctuation. */
function unpunctuatedTexts(texts: TrainingText[]): TrainingText[] {
  return texts
    .filter(({ source }, index) => source.startsWith("calm-") && index % 2 === 0)
    .map((text) => ({ ...text, text: unpunctuated(text.text) }));
}

function unpunctuated(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[.,!?;:]+(?=\s|$)/g, "")
    .replaceAll("\n", " ");
}

/** Splits each category into contiguous parts, because neighboring lines of a source resemble each other. */
function inFold(messages: Labeled[], source: string, foldOf?: () => number): TrainingText[] {
  const categories = [...Map.groupBy(messages, ({ category }) => category).values()];
  const folds = new Map(
    categories.flatMap((all) => all.map((message, index) => [message, Math.floor((index * FOLDS) / all.length)])),
  );
  return messages.map((message) => ({ ...message, source, fold: foldOf?.() ?? (folds.get(message) as number) }));
}

/**
 * The turns of a harmless conversation, alone and joined; of a dangerous one, the joined turns that show the danger.
 */
function turnsOf({ level, category, turns }: LabeledConversation, name: string, index: number): TrainingText[] {
  const said = turns.filter(({ role }) => role === "user");
  const fold = index % FOLDS;
  const joined = (end: number) =>
    said
      .slice(Math.max(end - JOINED_MESSAGES, 0), end)
      .map(({ content }) => content)
      .join("\n");
  if (level === "none") {
    return said.flatMap(({ content }, place) => [
      { text: content, level, category, source: `${name}-turns`, fold },
      ...(place > 0 ? [{ text: joined(place + 1), level, category, source: `${name}-joined`, fold }] : []),
    ]);
  }
  const danger = said.findIndex((turn) => turn.danger);
  return [{ text: joined(danger + 1), level, category, source: `${name}-joined`, fold }];
}

/** The sentences that tests check the screen with, which are excluded from training. */
function quotedSentences(): Set<string> {
  const { shown, harmless } = JSON.parse(readFileSync(join(CORPUS, "quoted.json"), "utf8"));
  return new Set([...shown, ...harmless].map(normalized));
}

function normalized(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();
}
