import { alertOf, type Category, highestOf, MIND, type SafetyAlert } from "../alerts.ts";
import { FEW, featuresOf, ownFeatures, RUN_VALUE, stemsOf, type WordFeatures } from "../words/features.ts";
import { FEWEST_WORDS, LONG_WORDS, partsOf, WINDOW_WORDS, type Window, windowsAroundCore } from "../words/windows.ts";
import type { ReadSentence } from "./rules.ts";

/**
 * The format of `data/weights.json`; `data/weights.bin` contains the weights. `npm run train:safety` generates both.
 */
export interface WeightsHeader {
  /** The alert weights are in 2 to this power buckets of {@link SLOTS} slots. */
  bucketBits: number;
  /** The value of the largest weight. */
  largest: number;
  alertBias: number;
  /** Parts need higher ones, because a message has many, and they lack their context. */
  thresholds: Record<Scope, Thresholds>;
  /** A sentence with a lower score is harmless in any context: {@link Classifier.judge}. */
  harmlessBelow: number;
  /** The margin over the second-best category that makes a category certain. */
  categoryMargins: { general: number; delicate: number };
  categories: Category[];
  /** The number of weights per category is 2 to this power, one byte each, stored by feature after the slots. */
  categoryBits: number;
  categoryStep: number;
  categoryBiases: number[];
  /** The matches of each rule in the labeled messages. */
  rules: Record<string, RuleFigures>;
}

/** An alert is certain from `high` on and suspected from `low` on. */
export interface Thresholds {
  high: number;
  low: number;
}

/**
 * What is judged: the core of a message, if it has at most {@link LONG_WORDS} words or more, and each of its parts
 * ({@link partsOf}), by whether the {@link MIND} or the body is in danger: calm personal posts have many parts that
 * sound like the former.
 */
export const SCOPES = ["short", "long", "body", "mind"] as const;
export type Scope = (typeof SCOPES)[number];

/** The number of labeled messages of each kind that match a rule. */
export interface RuleFigures {
  alerts: number;
  harmless: number;
  /** The number of alerts that have the rule's category. */
  sameCategory: number;
}

/** The classifier's judgment of a message. */
export interface Judgement {
  /** The highest score of each scope; minus infinity if there is none. */
  scores: Record<Scope, number>;
  /** The sentences that were judged together, if they are few enough to be about one thing. */
  together: WeighedSentence[];
  /** Returns by how much the scores exceed the thresholds of their scope at most; negative if they are below. */
  excess(over: keyof Thresholds): number;
  /** Returns the highest alert among the windows that decide at these thresholds; undefined if there are no words. */
  alert(over: keyof Thresholds): CategorizedAlert | undefined;
}

/** An alert, and the margin of its category over the second-best one. */
export interface CategorizedAlert {
  alert: SafetyAlert;
  categoryMargin: number;
}

/**
 * The number of slots that a feature may be in. A slot has two bytes: ten bits of the feature's hash and six for its
 * weight.
 */
export const SLOTS = 3;

/** Parts with a lower score decide nothing. */
const LEAST_OF_PART = 0;

/** The category is determined from this many windows at most. */
const MOST_DECIDING = 100;

/**
 * A weight is stored as the root of its size, in this many steps in each direction, because most are small. 0 is an
 * empty slot.
 */
export const WEIGHT_STEPS = 31;

/** The part of a feature's hash that selects its bucket. */
export function bucketOf(feature: number, { bucketBits }: WeightsHeader): number {
  return (feature & ((1 << bucketBits) - 1)) * SLOTS;
}

/** The part of a feature's hash that identifies it in its bucket. One in a thousand is mistaken for another. */
export function fingerprintOf(feature: number): number {
  return feature >>> 22;
}

/** A sentence as the classifier reads it, whatever is around it. */
export interface WeighedSentence extends ReadSentence {
  stems: string[];
  /** The {@link ownFeatures} of each stem, and the sum of their weights. */
  features: number[][];
  sums: number[];
}

/**
 * A linear classifier over words, pairs and triples of words, and letter runs. A window's score is the sum of its
 * features' weights divided by the root of their number, plus a bias. The highest-scoring windows of a message decide.
 */
export class Classifier {
  readonly header: WeightsHeader;
  private readonly slots: Uint16Array;
  /** The weight of each value that the lower six bits of a slot may have. */
  private readonly slotWeights: Float64Array;
  private readonly categoryWeights: Int8Array;

  constructor(header: WeightsHeader, weights: Buffer) {
    this.header = header;
    const { buffer } = new Uint8Array(weights); // a copy, which starts at an even address as a Uint16Array must
    const slots = 2 ** header.bucketBits * SLOTS;
    this.slots = new Uint16Array(buffer, 0, slots);
    this.categoryWeights = new Int8Array(buffer, slots * 2);
    this.slotWeights = Float64Array.from({ length: 2 * WEIGHT_STEPS + 2 }, (_, step) => {
      const root = step === 0 ? 0 : (step - WEIGHT_STEPS - 1) / WEIGHT_STEPS;
      return root * Math.abs(root) * header.largest;
    });
  }

  /** Does what is done once per sentence, although it is judged alone and joined with others. */
  weigh(sentence: ReadSentence): WeighedSentence {
    const stems = stemsOf(sentence.words);
    const features = stems.map(ownFeatures);
    const sums = features.map((own) => ownSum(own, (feature) => this.alertWeight(feature)));
    return { ...sentence, stems, features, sums };
  }

  /**
   * Judges a message as a whole and by its parts. The whole is its core: the sentences that remain when harmless ones
   * are removed from both ends. Sentences that deny something or put it in the past or in fiction (`givesContext`)
   * belong to the core. Harmless text before or after a message leaves its core unchanged, and so never lowers its
   * score.
   *
   * @param bonus added to all scores
   */
  judge(sentences: WeighedSentence[], bonus = 0): Judgement {
    const kept = sentences.filter((sentence) => sentence.stems.length > 0);
    const stems = kept.map((sentence) => sentence.stems);
    const features = featuresOf(kept.flatMap((sentence) => sentence.features));
    const ownSums = kept.flatMap((sentence) => sentence.sums);
    const sums = new RunningSums(features, ownSums, (feature) => this.alertWeight(feature));
    const { alertBias, harmlessBelow, thresholds } = this.header;
    const isHarmless = (window: Window, index: number) =>
      sums.score(window) + alertBias < harmlessBelow && kept[index]?.givesContext !== true;
    const scored = (windows: Window[]): ScoredWindow[] =>
      windows
        .map((window) => ({ window, score: sums.score(window) + alertBias + bonus }))
        .toSorted((first, second) => second.score - first.score);
    const categorized = (windows: ScoredWindow[]) =>
      [
        ...new Set([...windows.slice(0, MOST_DECIDING), ...windows.filter(isFirstOfItsEdge()).slice(0, MOST_DECIDING)]),
      ].map(({ window, score }) => ({ score, ...this.alertOf(features.slice(window.start, window.end)) }));
    const coreAndMore = windowsAroundCore(stems, isHarmless);
    const scope = wordsOf(coreAndMore[0]) > LONG_WORDS ? "long" : "short";
    const whole = scored(coreAndMore);
    const runs = scored(partsOf(stems));
    const isBrief = features.length < FEWEST_WORDS;
    const parts = categorized(isBrief ? [] : runs.filter(({ score }) => score >= LEAST_OF_PART)).map((part) => ({
      ...part,
      scope: MIND.includes(part.alert.category) ? ("mind" as const) : ("body" as const),
    }));
    const never = Number.NEGATIVE_INFINITY;
    const scores: Record<Scope, number> = { short: never, long: never, body: never, mind: never };
    for (const { scope: name, score } of [{ scope, score: whole[0]?.score ?? never } as const, ...parts]) {
      scores[name] = Math.max(scores[name], score);
    }
    return {
      scores,
      together: scope === "short" ? sentencesIn(kept, whole[0]?.window) : [],
      excess: (over) => Math.max(...SCOPES.map((name) => scores[name] - thresholds[name][over])),
      alert: (over) => {
        const ofWhole = whole.filter(
          ({ window, score }) => score >= thresholds[scope][over] && wordsOf(window) <= WINDOW_WORDS,
        );
        // A part that would be certain as a separate message also decides the level. The bonus for a rule does not
        // count: it is for the whole message, so it would also raise parts that have nothing to do with the rule.
        const ofParts = parts.filter(
          (part) => part.score - Math.max(bonus, 0) >= Math.min(thresholds[part.scope][over], thresholds.short.high),
        );
        const ofRuns = isBrief ? runs.filter(({ score }) => score >= thresholds.short[over]) : [];
        const reaching = [...categorized([...ofWhole, ...ofRuns]), ...ofParts];
        const deciding = reaching.length > 0 ? reaching : [...parts, ...categorized(whole.slice(0, 1))].slice(0, 1);
        return highestOf(deciding);
      },
    };
  }

  /** The shares of a text's words, and of their letter runs, that have a weight: those that the classifier has learned. */
  knownShares(sentences: WeighedSentence[]): { words: number; runs: number } {
    const all = sentences.flatMap(({ features }) => features);
    const shareOf = (features: number[]) =>
      features.filter((feature) => this.alertWeight(feature) !== 0).length / Math.max(features.length, 1);
    return { words: shareOf(all.flatMap(([word]) => word ?? [])), runs: shareOf(all.flatMap((own) => own.slice(1))) };
  }

  /** Adds up all categories at once, since that takes most of the time of a long message. */
  private alertOf(words: WordFeatures[]): CategorizedAlert {
    const { categories, categoryBits, categoryStep, categoryBiases } = this.header;
    const sums = new Float64Array(categories.length);
    let squares = FEW;
    const add = (feature: number, value: number) => {
      const first = (feature & ((1 << categoryBits) - 1)) * sums.length;
      for (let category = 0; category < sums.length; category++) {
        sums[category] = (sums[category] as number) + (this.categoryWeights[first + category] as number) * value;
      }
      squares += value * value;
    };
    for (const [index, { own, pair, triple }] of words.entries()) {
      for (let run = 0; run < own.length; run++) {
        add(own[run] as number, run === 0 ? 1 : RUN_VALUE);
      }
      if (index > 0 && pair !== undefined) {
        add(pair, 1);
      }
      if (index > 1 && triple !== undefined) {
        add(triple, 1);
      }
    }
    const scores = categoryBiases.map(
      (bias, category) => ((sums[category] as number) * categoryStep) / Math.sqrt(squares) + bias,
    );
    const [best = 0, second = 0] = scores.toSorted((a, b) => b - a);
    return { alert: alertOf(categories[scores.indexOf(best)] ?? "other"), categoryMargin: best - second };
  }

  /** Returns 0 for a feature that is not in the table, as most features are not. */
  private alertWeight(feature: number): number {
    const bucket = bucketOf(feature, this.header);
    const fingerprint = fingerprintOf(feature);
    for (let index = bucket; index < bucket + SLOTS; index++) {
      const slot = this.slots[index] as number;
      if (slot >>> 6 === fingerprint) {
        return this.slotWeights[slot & 63] as number;
      }
    }
    return 0;
  }
}

interface ScoredWindow {
  window: Window;
  score: number;
}

/** The sentences of which a window consists. */
function sentencesIn(sentences: WeighedSentence[], window: Window | undefined): WeighedSentence[] {
  let end = 0;
  return sentences.filter(({ stems }) => {
    const start = end;
    end += stems.length;
    return window !== undefined && start >= window.start && end <= window.end;
  });
}

function wordsOf(window: Window | undefined): number {
  return window === undefined ? 0 : window.end - window.start;
}

/** The sum of the weights of a word and its letter runs. */
export function ownSum(own: number[], weightOf: (feature: number) => number): number {
  let sum = weightOf(own[0] as number);
  for (let run = 1; run < own.length; run++) {
    sum += weightOf(own[run] as number) * RUN_VALUE;
  }
  return sum;
}

/** Prefix sums over the words, so that every window's score takes the same short time. */
export class RunningSums {
  private readonly own: Float64Array;
  private readonly pairs: Float64Array;
  private readonly triples: Float64Array;
  private readonly squares: Float64Array;

  /** @param ownSums the {@link ownSum} of each word */
  constructor(features: WordFeatures[], ownSums: number[], weightOf: (feature: number) => number) {
    const empty = () => new Float64Array(features.length + 1);
    [this.own, this.pairs, this.triples, this.squares] = [empty(), empty(), empty(), empty()];
    for (const [index, { own, pair, triple }] of features.entries()) {
      const add = (sums: Float64Array, value: number) => {
        sums[index + 1] = (sums[index] as number) + value;
      };
      add(this.own, ownSums[index] as number);
      add(this.pairs, pair === undefined ? 0 : weightOf(pair));
      add(this.triples, triple === undefined ? 0 : weightOf(triple));
      add(this.squares, 1 + (own.length - 1) * RUN_VALUE ** 2);
    }
  }

  /** Pairs and triples that reach back before the window do not count. */
  score({ start, end }: Window): number {
    const pairs = Math.max(end - start - 1, 0);
    const triples = Math.max(end - start - 2, 0);
    const sum =
      between(this.own, start, end) + between(this.pairs, end - pairs, end) + between(this.triples, end - triples, end);
    return sum / Math.sqrt(between(this.squares, start, end) + pairs + triples + FEW);
  }
}

/**
 * Keeps the first window with each start and the first with each end, so that windows of one sentence do not crowd out
 * others.
 */
function isFirstOfItsEdge(): (scored: ScoredWindow) => boolean {
  const starts = new Set<number>();
  const ends = new Set<number>();
  return ({ window: { start, end } }) => {
    const isFirst = !starts.has(start) || !ends.has(end);
    starts.add(start);
    ends.add(end);
    return isFirst;
  };
}

function between(sums: Float64Array, start: number, end: number): number {
  return (sums[end] as number) - (sums[start] as number);
}
