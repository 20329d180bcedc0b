import { readFileSync } from "node:fs";
import { join } from "node:path";
import { grammarMessages } from "./grammar.ts";
import { CORPUS, type Labeled, type LabeledConversation, trainingSources } from "./labeled.ts";

/** The number of parts of the cross-validation. */
export const FOLDS = 4;

/** The number of user messages in a conversation that are read together. */
const JOINED_MESSAGES = 3;

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
  return [...texts, ...inFold(grammarMessages(), "grammar")].filter(({ text }) => !quoted.has(normalized(text)));
}

/** Splits each category into contiguous parts, because neighboring lines of a source resemble each other. */
function inFold(messages: Labeled[], source: string, foldOf?: () => number): TrainingText[] {
  const counts = Map.groupBy(messages, ({ category }) => category);
  return messages.map((message) => {
    const all = counts.get(message.category) ?? [];
    return { ...message, source, fold: foldOf?.() ?? Math.floor((all.indexOf(message) * FOLDS) / all.length) };
  });
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
