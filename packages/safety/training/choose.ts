import { DELICATE } from "../alerts.ts";
import {
  Classifier,
  type Judgement,
  type RuleFigures,
  SCOPES,
  type Scope,
  type Thresholds,
} from "../screening/classifier.ts";
import { allRules, bonusFor, readSentence, rulesMet } from "../screening/rules.ts";
import { sentencesOf } from "../words/words.ts";
import { FOLDS, kindOf, SHARES, type TrainingText } from "./mix.ts";
import { type AlertWeights, type Chosen, type Corpus, pack, trainAlert, trainCategories } from "./model.ts";

/**
 * The maximum shares of harmless messages, weighted as in a clinic's chat, whose scores reach a threshold: about one in
 * a hundred is shown an alert, although the labeled messages are harder than those of a chat. A suspicion costs a short
 * request, so many more may be suspected.
 */
const REACHED: Record<Scope, Thresholds> = {
  short: { high: 0.007, low: 0.103 },
  long: { high: 0.0016, low: 0.025 },
  body: { high: 0.004, low: 0.01 },
  mind: { high: 0.0014, low: 0.025 },
};

/**
 * The share of displayed categories that must be right on the messages from which the margin is chosen, so that it is
 * about 97 % on others; higher for those whose wording does harm if wrong.
 */
const CATEGORY_RIGHT = 0.983;
const DELICATE_RIGHT = 0.99;

/** A sentence with a score below this is harmless, whatever its context. */
const HARMLESS_BELOW = -0.45;

const NEVER: Thresholds = { high: 1_000, low: 1_000 };

/** Values with which nothing is certain or suspected, for collecting scores. */
const UNCHOSEN: Chosen = {
  thresholds: { short: NEVER, long: NEVER, body: NEVER, mind: NEVER },
  harmlessBelow: HARMLESS_BELOW,
  categoryMargins: { general: Number.POSITIVE_INFINITY, delicate: Number.POSITIVE_INFINITY },
  rules: {},
};

/** The weights for judging one part of the cross-validation, trained only on the other parts. */
export interface Fold {
  alert: AlertWeights;
  categories: Float64Array[];
}

/** Trains once for each part of the texts, without that part. */
export function trainFolds(corpus: Corpus, texts: TrainingText[]): Fold[] {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const others = { ...corpus, examples: corpus.examples.filter((_, index) => texts[index]?.fold !== fold) };
    return { alert: trainAlert(others), categories: trainCategories(others) };
  });
}

export function classifierOf({ alert, categories }: Fold, chosen: Chosen): Classifier {
  const { header, weights } = pack(alert, categories, chosen);
  return new Classifier(header, weights);
}

interface Scored {
  text: TrainingText;
  scores: Record<Scope, number>;
}

/** Chooses thresholds and margins from the scores of the cross-validation, and counts the texts that meet each rule. */
export function choose(folds: Fold[], texts: TrainingText[]): Chosen {
  const rules = ruleFigures(texts);
  const judge = judgeOf(folds, UNCHOSEN);
  const harmless = texts.filter(({ level }) => level === "none");
  const scored = harmless.map((text): Scored => ({ text, scores: judge(text).scores }));
  const thresholds = Object.fromEntries(
    SCOPES.map((scope) => [scope, thresholdsFor(scored, scope)]),
  ) as Chosen["thresholds"];
  const chosen = { ...UNCHOSEN, thresholds, rules };
  return { ...chosen, categoryMargins: chooseMargins(texts, judgeOf(folds, chosen)) };
}

/** Returns a function that judges each text by weights not trained on it. */
function judgeOf(folds: Fold[], chosen: Chosen): (text: TrainingText) => Judgement {
  const classifiers = folds.map((fold) => classifierOf(fold, chosen));
  return ({ text, fold }) => {
    const classifier = classifiers[fold] as Classifier;
    const sentences = sentencesOf(text).map(readSentence);
    const bonus = bonusFor(sentences, rulesMet(sentences));
    return classifier.judge(
      sentences.map((sentence) => classifier.weigh(sentence)),
      bonus,
    );
  };
}

function thresholdsFor(harmless: Scored[], scope: Scope): Thresholds {
  const kinds = Map.groupBy(harmless, ({ text }) => kindOf(text));
  const byScore = [...kinds]
    .flatMap(([kind, all]) => all.map(({ scores }) => ({ score: scores[scope], share: SHARES[kind] / all.length })))
    .toSorted((first, second) => second.score - first.score);
  return { high: thresholdFor(byScore, REACHED[scope].high), low: thresholdFor(byScore, REACHED[scope].low) };
}

/** The lowest threshold that at most this share of the messages reaches. */
function thresholdFor(byScore: { score: number; share: number }[], most: number): number {
  let reached = 0;
  const first = byScore.find(({ share }) => {
    reached += share;
    return reached > most;
  });
  return rounded((first?.score ?? 0) + 0.0001);
}

function chooseMargins(texts: TrainingText[], judge: (text: TrainingText) => Judgement): Chosen["categoryMargins"] {
  const shown = texts.flatMap((text) => {
    const judgement = judge(text);
    const judged = judgement.excess("high") >= 0 ? judgement.alert("high") : undefined;
    return judged ? [{ isRight: judged.alert.category === text.category, ...judged }] : [];
  });
  const delicate = shown.filter(({ alert }) => DELICATE.includes(alert.category));
  return { general: marginFor(shown, CATEGORY_RIGHT), delicate: marginFor(delicate, DELICATE_RIGHT) };
}

/** The lowest margin from which at least this share of the categories is right. */
function marginFor(shown: { isRight: boolean; categoryMargin: number }[], share: number): number {
  const sorted = shown.toSorted((a, b) => b.categoryMargin - a.categoryMargin);
  let [right, margin] = [0, Number.POSITIVE_INFINITY];
  for (const [index, { isRight, categoryMargin }] of sorted.entries()) {
    right += isRight ? 1 : 0;
    if (right >= share * (index + 1)) {
      margin = categoryMargin;
    }
  }
  return rounded(margin);
}

/** Counts the texts that meet each rule. */
export function ruleFigures(texts: TrainingText[]): Record<string, RuleFigures> {
  const figures = Object.fromEntries(allRules().map(({ name }) => [name, { alerts: 0, harmless: 0, sameCategory: 0 }]));
  for (const { text, level, category } of texts) {
    for (const { name, alert } of rulesMet(sentencesOf(text).map(readSentence))) {
      const figure = figures[name] as RuleFigures;
      figure[level === "none" ? "harmless" : "alerts"]++;
      figure.sameCategory += alert.category === category ? 1 : 0;
    }
  }
  return figures;
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
