import { Classifier, type RuleFigures, type Thresholds } from "../../shared/safety/classifier.ts";
import { allRules, RULE_BONUS, readSentence, rulesMet } from "../../shared/safety/rules.ts";
import { sentencesOf } from "../../shared/safety/words.ts";
import { FOLDS, type TrainingText } from "./mix.ts";
import { type AlertWeights, type Chosen, type Corpus, pack, trainAlert, trainCategories } from "./model.ts";

/** The maximum share of near misses, and of other harmless text, that may be shown an alert. */
const NEAR_MISSES_SHOWN = 0.02;
const HARMLESS_SHOWN = 0.01;

/** The share of emergencies and crises in {@link DETECTION_SETS} that must be detected. */
const DETECTED = 0.97;
const DETECTION_SETS = ["set-14", "set-15"];

/** The share of displayed categories that must be right; higher for those whose wording does harm if wrong. */
const CATEGORY_RIGHT = 0.95;
const SENSITIVE_RIGHT = 0.98;

/** A sentence with a score below this is harmless, whatever its context. */
const HARMLESS_BELOW = -0.45;

/** Values with which nothing is certain or suspected, for collecting scores. */
export const UNCHOSEN: Chosen = {
  thresholds: {
    short: { high: Number.POSITIVE_INFINITY, low: Number.POSITIVE_INFINITY },
    long: { high: Number.POSITIVE_INFINITY, low: Number.POSITIVE_INFINITY },
  },
  harmlessBelow: HARMLESS_BELOW,
  categoryMargins: { general: Number.POSITIVE_INFINITY, sensitive: Number.POSITIVE_INFINITY },
  rules: {},
};

/** The weights for judging one part of the cross-validation, trained only on the other parts. */
export interface Fold {
  alert: AlertWeights;
  categories: Float64Array[];
}

/** Trains once for each part of the texts, without that part. */
export function trainFolds({ hashes, examples }: Corpus, texts: TrainingText[]): Fold[] {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const others = { hashes, examples: examples.filter((_, index) => texts[index]?.fold !== fold) };
    return { alert: trainAlert(others), categories: trainCategories(others) };
  });
}

export function classifierOf({ alert, categories }: Fold, chosen: Chosen): Classifier {
  const { header, weights } = pack(alert, categories, chosen);
  return new Classifier(header, weights);
}

interface Scored {
  text: TrainingText;
  total: number;
  isLong: boolean;
  category: string | undefined;
  categoryMargin: number;
}

/** Chooses thresholds and margins from the scores of the cross-validation, and counts the texts that meet each rule. */
export function choose(folds: Fold[], texts: TrainingText[]): Chosen {
  const rules = ruleFigures(texts);
  const classifiers = folds.map((fold) => classifierOf(fold, UNCHOSEN));
  const scored = texts.map((text): Scored => {
    const classifier = classifiers[text.fold] as Classifier;
    const sentences = sentencesOf(text.text).map(readSentence);
    const judgement = classifier.judge(sentences.map((sentence) => classifier.weigh(sentence)));
    const bonus = rulesMet(sentences).length > 0 ? RULE_BONUS : 0;
    const isAlert = text.level !== "none";
    const judged = isAlert ? judgement.alertAbove(Number.POSITIVE_INFINITY) : undefined;
    return {
      text,
      total: judgement.score + bonus,
      isLong: judgement.isLong,
      category: judged?.alert.category,
      categoryMargin: judged?.categoryMargin ?? 0,
    };
  });
  const thresholds = {
    short: chooseThresholds(scored.filter(({ isLong }) => !isLong)),
    long: chooseThresholds(scored.filter(({ isLong }) => isLong)),
  };
  return { thresholds, harmlessBelow: HARMLESS_BELOW, categoryMargins: chooseMargins(scored, thresholds), rules };
}

function chooseThresholds(scored: Scored[]): Thresholds {
  const harmless = scored.filter(({ text }) => text.level === "none");
  const nearMisses = harmless.filter(({ text }) => isNearMiss(text));
  const own = harmless.filter(({ text }) => !isNearMiss(text));
  const alerts = scored.filter(({ text }) => text.level !== "none");
  const withheld = alerts.filter(({ text }) => DETECTION_SETS.includes(text.source));
  const totals = (withheld.length >= 200 ? withheld : alerts).map(({ total }) => total).toSorted((a, b) => a - b);
  const high = rounded(Math.max(thresholdFor(nearMisses, NEAR_MISSES_SHOWN), thresholdFor(own, HARMLESS_SHOWN)));
  const low = rounded(totals[Math.floor((1 - DETECTED) * totals.length)] ?? high);
  return { high, low: Math.min(high, low) };
}

function isNearMiss({ source, category }: TrainingText): boolean {
  return source.endsWith("near-misses") || (source.startsWith("set-") && category !== "ordinary");
}

/** The lowest threshold that at most this share of the messages reaches. All sources have the same weight. */
function thresholdFor(messages: Scored[], share: number): number {
  const sources = Map.groupBy(messages, ({ text }) => (text.source.startsWith("set-") ? "sets" : text.source));
  const weighted = [...sources.values()]
    .flatMap((all) => all.map(({ total }) => ({ total, weight: 1 / all.length / sources.size })))
    .toSorted((a, b) => b.total - a.total);
  let shown = 0;
  for (const { total, weight } of weighted) {
    shown += weight;
    if (shown > share) {
      return total + 0.0001;
    }
  }
  return Number.NEGATIVE_INFINITY;
}

function chooseMargins(scored: Scored[], { short, long }: Chosen["thresholds"]): Chosen["categoryMargins"] {
  const shown = scored.filter(({ category, total, isLong }) => category && total >= (isLong ? long : short).high);
  const sensitive = shown.filter(({ category }) =>
    ["suicide-attempt", "suicidal-thoughts", "self-harm", "abuse", "pregnancy"].includes(category ?? ""),
  );
  return { general: marginFor(shown, CATEGORY_RIGHT), sensitive: marginFor(sensitive, SENSITIVE_RIGHT) };
}

/** The lowest margin from which at least this share of the categories is right. */
function marginFor(shown: Scored[], share: number): number {
  const sorted = shown.toSorted((a, b) => b.categoryMargin - a.categoryMargin);
  let [right, margin] = [0, Number.POSITIVE_INFINITY];
  for (const [index, { text, category, categoryMargin }] of sorted.entries()) {
    right += text.category === category ? 1 : 0;
    if (right >= share * (index + 1)) {
      margin = categoryMargin;
    }
  }
  return rounded(margin);
}

function ruleFigures(texts: TrainingText[]): Record<string, RuleFigures> {
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
