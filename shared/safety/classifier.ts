import { alertOf, type Category, higher, type SafetyAlert } from "./alert.ts";
import { readDataFile } from "./data-file.ts";
import { FEW, featuresOf, RUN_VALUE, stemsOf, type WordFeatures } from "./features.ts";
import { runsOf, type Window, windowsOf } from "./windows.ts";
import type { Sentence } from "./words.ts";

/** The form of `data/weights.json`; `data/weights.bin` has the weights themselves, made by `npm run train:safety`. */
export interface WeightsHeader {
  /** The alert's weights stand in 2 to this power buckets of {@link SLOTS} slots. */
  bucketBits: number;
  /** What the largest of them is worth. */
  largest: number;
  alertBias: number;
  /** The score from which on there is an alert. */
  threshold: number;
  categories: Category[];
  /** Each category's weights: 2 to this power, a byte each, one category after the other, behind the slots. */
  categoryBits: number;
  categoryStep: number;
  categoryBiases: number[];
}

/** The slots that a feature may be in; each has two bytes: ten bits of the feature's hash, and six for its weight. */
export const SLOTS = 3;

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
 * features' weights over the root of their number, and a bias; the most alerting window of a message decides whether
 * there is an alert, and the highest level among all runs of its sentences that are alerting by themselves, which level.
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

  /** By how much a message's score is above the threshold from which on there is an alert, or below; and the alert. */
  judge(sentences: Sentence[]): { margin: number; alert: SafetyAlert | undefined } {
    const stems = stemsOf(sentences);
    const features = featuresOf(stems.flat());
    const sums = new RunningSums(features, (feature) => this.alertWeight(feature));
    const marginOf = (window: Window) => sums.score(window) + this.header.alertBias - this.header.threshold;
    const windows = windowsOf(stems);
    const best = windows.reduce<Window | undefined>(
      (most, window) => (most && marginOf(most) >= marginOf(window) ? most : window),
      undefined,
    );
    const margin = best ? marginOf(best) : Number.NEGATIVE_INFINITY;
    if (best === undefined || margin < 0) {
      return { margin, alert: undefined };
    }
    const alerting = runsOf(stems).filter((run) => marginOf(run) >= 0);
    return { margin, alert: this.highestAlert(features, [best, ...alerting]) };
  }

  private highestAlert(features: WordFeatures[], windows: Window[]): SafetyAlert | undefined {
    const sums = this.header.categories.map(
      (_, category) => new RunningSums(features, (feature) => this.categoryWeight(feature, category)),
    );
    return windows.reduce<SafetyAlert | undefined>(
      (alert, window) => higher(alert, this.alertOfWindow(sums, window)),
      undefined,
    );
  }

  private alertOfWindow(sums: RunningSums[], window: Window): SafetyAlert {
    const scores = sums.map((sum, category) => sum.score(window) + (this.header.categoryBiases[category] ?? 0));
    return alertOf(this.header.categories[scores.indexOf(Math.max(...scores))] ?? "other");
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

function between(sums: Float64Array, start: number, end: number): number {
  return (sums[end] as number) - (sums[start] as number);
}
