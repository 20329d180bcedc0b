import { alertOf, type Category, rank, type SafetyAlert } from "./alert.ts";
import { readDataFile } from "./data-file.ts";
import { FEW, featuresOf, RUN_VALUE, stemsOf, type WordFeatures } from "./features.ts";
import { givesContext } from "./rules.ts";
import { runsOf, type Window, windowsAroundCore } from "./windows.ts";
import type { Sentence } from "./words.ts";

/** The form of `data/weights.json`; `data/weights.bin` has the weights themselves. Both are made by `npm run train:safety`. */
export interface WeightsHeader {
  /** The alert's weights stand in 2 to this power buckets of {@link SLOTS} slots. */
  bucketBits: number;
  /** What the largest of them is worth. */
  largest: number;
  alertBias: number;
  /** For messages whose core is at most {@link WINDOW_WORDS} words, and for longer ones. */
  thresholds: { short: Thresholds; long: Thresholds };
  /** A sentence with a lower score is harmless whatever stands beside it: {@link Classifier.judge}. */
  harmlessBelow: number;
  /** By how much a category's score must exceed the second best for the category to be certain. */
  categoryMargins: { general: number; sensitive: number };
  categories: Category[];
  /** Each category's weights: 2 to this power, a byte each, one category after the other, behind the slots. */
  categoryBits: number;
  categoryStep: number;
  categoryBiases: number[];
  /** What each rule met in the labeled messages. */
  rules: Record<string, RuleFigures>;
}

/** From `high` on, an alert is certain; from `low` on, suspected. */
export interface Thresholds {
  high: number;
  low: number;
}

/** How many labeled messages of each kind meet a rule. */
export interface RuleFigures {
  alerts: number;
  harmless: number;
  /** How many of the alerts have the rule's category. */
  sameCategory: number;
}

/** What the classifier makes of a message. */
export interface Judgement {
  /** Of the most alerting window; minus infinity for a message without words. */
  score: number;
  isLong: boolean;
  /** The highest alert among the windows whose score is at least a threshold, the best one always among them. */
  alertAbove(threshold: number): { alert: SafetyAlert; categoryMargin: number } | undefined;
}

/** The slots that a feature may be in; each has two bytes: ten bits of the feature's hash, and six for its weight. */
export const SLOTS = 3;

/** Of so many windows, the most alerting ones, the category is looked at. */
const MOST_ALERTING = 20;

/** A weight is stored by the root of its size, in so many steps either way: most are small. 0 is an empty slot. */
export const WEIGHT_STEPS = 31;

/** What of a feature's hash says which bucket it is in. */
export function bucketOf(feature: number, { bucketBits }: WeightsHeader): number {
  return (feature & (2 ** bucketBits - 1)) * SLOTS;
}

/** What of a feature's hash tells it from others in its bucket; one in a thousand is mistaken for another. */
export function fingerprintOf(feature: number): number {
  return feature >>> 22;
}

/**
 * A linear classifier over words, pairs and triples of them, and runs of letters. A window's score is the sum of its
 * features' weights over the root of their number, and a bias. The most alerting window of a message decides.
 */
export class Classifier {
  readonly header: WeightsHeader;
  private readonly weights: Buffer;
  private readonly slots: Uint16Array;
  private readonly categoryMask: number;

  constructor(header: WeightsHeader, weights: Buffer) {
    this.header = header;
    this.weights = weights;
    // A copy, since a view of two-byte numbers has to begin at an even address.
    this.slots = new Uint16Array(new Uint8Array(weights.subarray(0, 2 ** header.bucketBits * SLOTS * 2)).buffer);
    this.categoryMask = 2 ** header.categoryBits - 1;
  }

  /** The classifier that `npm run train:safety` has made. */
  static shipped(): Classifier {
    return new Classifier(JSON.parse(readDataFile("weights.json").toString()), readDataFile("weights.bin"));
  }

  /**
   * Judges a message by its core: the sentences that are left when harmless ones are taken off both ends. Sentences that
   * deny something or put it into the past or into fiction (`givesContext`) belong to the core. Harmless text added
   * before or after a message leaves its core as it is, and so never lowers its score.
   */
  judge(sentences: Sentence[]): Judgement {
    const kept = sentences
      .map((words) => ({ words, stems: stemsOf([words])[0] ?? [] }))
      .filter((s) => s.stems.length > 0);
    const stems = kept.map((sentence) => sentence.stems);
    const features = featuresOf(stems.flat());
    const sums = new RunningSums(features, (feature) => this.alertWeight(feature));
    const scoreOf = (window: Window) => sums.score(window) + this.header.alertBias;
    const isHarmless = (window: Window, index: number) =>
      scoreOf(window) < this.header.harmlessBelow && !givesContext(kept[index]?.words ?? []);
    const { windows, isLong, isRuns } = windowsAroundCore(stems, isHarmless);
    const scores = windows.map(scoreOf);
    const score = scores.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    return {
      score,
      isLong,
      alertAbove: (threshold) => {
        const best = windows[scores.indexOf(score)];
        const others = isRuns ? windows : [...windows, ...runsOf(stems)];
        const alerting = others
          .map((window, index) => ({ window, score: scores[index] ?? scoreOf(window) }))
          .filter((scored) => scored.score >= threshold)
          .toSorted((first, second) => second.score - first.score)
          .map(({ window }) => window);
        return (
          best && this.highestAlert(features, [best, ...alerting.filter(isFirstFromItsStart()).slice(0, MOST_ALERTING)])
        );
      },
    };
  }

  private highestAlert(features: WordFeatures[], windows: Window[]): { alert: SafetyAlert; categoryMargin: number } {
    const [first, ...others] = windows.map((window) => this.alertOfWindow(features, window));
    return others.reduce(
      (highest, found) => (rank(found.alert) > rank(highest.alert) ? found : highest),
      first as { alert: SafetyAlert; categoryMargin: number },
    );
  }

  private alertOfWindow(
    features: WordFeatures[],
    { start, end }: Window,
  ): { alert: SafetyAlert; categoryMargin: number } {
    const own = features.slice(start, end);
    const scores = this.header.categories.map((_, category) => {
      const sums = new RunningSums(own, (feature) => this.categoryWeight(feature, category));
      return sums.score({ start: 0, end: own.length }) + (this.header.categoryBiases[category] ?? 0);
    });
    const [best = 0, second = 0] = scores.toSorted((a, b) => b - a);
    return { alert: alertOf(this.header.categories[scores.indexOf(best)] ?? "other"), categoryMargin: best - second };
  }

  /** 0 for a feature that is not in the table, as most are. */
  private alertWeight(feature: number): number {
    const bucket = bucketOf(feature, this.header);
    const fingerprint = fingerprintOf(feature);
    for (let index = bucket; index < bucket + SLOTS; index++) {
      const slot = this.slots[index] as number;
      if (slot >>> 6 === fingerprint) {
        const root = (slot & 63) === 0 ? 0 : ((slot & 63) - WEIGHT_STEPS - 1) / WEIGHT_STEPS;
        return root * Math.abs(root) * this.header.largest;
      }
    }
    return 0;
  }

  private categoryWeight(feature: number, category: number): number {
    const start = this.slots.byteLength + category * (this.categoryMask + 1);
    return this.weights.readInt8(start + (feature & this.categoryMask)) * this.header.categoryStep;
  }
}

/** Sums over all words up to each, so that any window's score takes the same short time. */
class RunningSums {
  private readonly own: Float64Array;
  private readonly pairs: Float64Array;
  private readonly triples: Float64Array;
  private readonly squares: Float64Array;

  constructor(features: WordFeatures[], weightOf: (feature: number) => number) {
    const sums = () => new Float64Array(features.length + 1);
    [this.own, this.pairs, this.triples, this.squares] = [sums(), sums(), sums(), sums()];
    for (const [index, { own, pair, triple }] of features.entries()) {
      const sum = own.reduce((all, feature, position) => all + weightOf(feature) * (position === 0 ? 1 : RUN_VALUE), 0);
      this.own[index + 1] = (this.own[index] ?? 0) + sum;
      this.pairs[index + 1] = (this.pairs[index] ?? 0) + (pair === undefined ? 0 : weightOf(pair));
      this.triples[index + 1] = (this.triples[index] ?? 0) + (triple === undefined ? 0 : weightOf(triple));
      this.squares[index + 1] = (this.squares[index] ?? 0) + 1 + (own.length - 1) * RUN_VALUE ** 2;
    }
  }

  /** Pairs and triples that reach back before the window are not the window's. */
  score({ start, end }: Window): number {
    const pairs = Math.max(end - start - 1, 0);
    const triples = Math.max(end - start - 2, 0);
    const sum =
      between(this.own, start, end) + between(this.pairs, end - pairs, end) + between(this.triples, end - triples, end);
    return sum / Math.sqrt(between(this.squares, start, end) + pairs + triples + FEW);
  }
}

/** Passes the first window of each start. */
function isFirstFromItsStart(): (window: Window) => boolean {
  const starts = new Set<number>();
  return ({ start }) => !starts.has(start) && starts.add(start) !== undefined;
}

function between(sums: Float64Array, start: number, end: number): number {
  return (sums[end] as number) - (sums[start] as number);
}
