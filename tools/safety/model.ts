import { type Category, CRISES, EMERGENCIES } from "../../shared/safety/alert.ts";
import { bucketOf, fingerprintOf, SLOTS, WEIGHT_STEPS, type WeightsHeader } from "../../shared/safety/classifier.ts";
import { FEW, featuresOf, ownFeatures, RUN_VALUE, stemsOf, type WordFeatures } from "../../shared/safety/features.ts";
import { windowsOf } from "../../shared/safety/windows.ts";
import { sentencesOf } from "../../shared/safety/words.ts";
import { type Row, score, trainLinear } from "./dual-svm.ts";
import type { Labeled } from "./labeled.ts";

/** Sizes, costs and rounds were chosen by leaving out one training set at a time. */
const BUCKET_BITS = 14;
const CATEGORY_BITS = 11;
const COST = 3;
const CATEGORY_COST = 1;
/** A missed alert costs as much as this many false ones. */
const MISSED = 1.3;
const EPOCHS = 15;
const CATEGORY_EPOCHS = 8;
const ROUNDS = 1;
/** The number of windows of a long harmless message to train on. */
const HARMLESS_WINDOWS = 2;
/**
 * Features that occur in fewer messages are ignored: three in four do, and would crowd out the weights of the others.
 */
const LEAST_MESSAGES = 2;

/** The categories that a classifier distinguishes. */
export const CATEGORIES: Category[] = [...EMERGENCIES, ...CRISES];

/** A labeled text, as rows of features. */
export interface Example {
  text: string;
  /** Undefined for a harmless message. */
  category: Category | undefined;
  /** The windows, which are judged separately. */
  windows: Sparse[];
  /** The message as a whole. */
  whole: Sparse;
}

type Sparse = Pick<Row, "features" | "values">;

/** Features, as 32-bit hashes, with their values. */
type Features = Map<number, number>;

/** Examples, and the hashes of the features by their numbers in the examples' rows. */
export interface Corpus {
  hashes: number[];
  examples: Example[];
}

/** Converts texts to rows once, for any number of trainings. */
export function corpusOf(messages: Pick<Labeled, "text" | "level" | "category">[]): Corpus {
  const read = messages.map(({ text }) => {
    const stems = sentencesOf(text)
      .map(stemsOf)
      .filter((words) => words.length > 0);
    const words = stems.flat().map(ownFeatures);
    const whole = valuesOf(featuresOf(words));
    const windows = windowsOf(stems).map(({ start, end }) =>
      end - start === words.length ? whole : valuesOf(featuresOf(words.slice(start, end))),
    );
    return { whole, windows };
  });
  const hashes = [...knownFeatures(read.map(({ whole }) => whole))];
  const numbers = new Map(hashes.map((hash, index) => [hash, index]));
  const examples = messages.map(({ text, level, category }, index) => {
    const { whole, windows } = read[index] as (typeof read)[number];
    return {
      text,
      category: level === "none" ? undefined : (category as Category),
      windows: windows.map((window) => numbered(window, numbers)),
      whole: numbered(whole, numbers),
    };
  });
  return { hashes, examples };
}

/** Weights by feature, and the bias. */
export interface AlertWeights {
  weights: Map<number, number>;
  bias: number;
}

/**
 * Trains the weights that distinguish alerts from harmless messages. A long message is represented by the window with
 * the highest score of the last round, as when it is judged; a harmless one by its two highest.
 */
export function trainAlert({ hashes, examples }: Corpus): AlertWeights {
  let trained: Float64Array | undefined;
  for (let round = 0; round <= ROUNDS; round++) {
    const judge = trained;
    const rows = examples.flatMap(({ category, windows }) => {
      const label = category === undefined ? (-1 as const) : (1 as const);
      const cost = category === undefined ? COST : COST * MISSED;
      return chosen(windows, category === undefined ? HARMLESS_WINDOWS : 1, judge).map((row) => ({
        ...row,
        label,
        cost,
      }));
    });
    trained = trainLinear(rows, hashes.length, EPOCHS);
  }
  const weights = trained as Float64Array;
  return {
    weights: new Map(hashes.map((feature, index) => [feature, weights[index] as number])),
    bias: weights[hashes.length] as number,
  };
}

/** Trains the weights that distinguish the categories of alerts, each against all others. */
export function trainCategories({ hashes, examples }: Corpus): Float64Array[] {
  const alerts = examples.filter(({ category }) => category !== undefined);
  const rows = alerts.map(({ whole }) => inBuckets(whole, hashes));
  return CATEGORIES.map((wanted) =>
    trainLinear(
      rows.map((row, index) => ({ ...row, label: alerts[index]?.category === wanted ? 1 : -1, cost: CATEGORY_COST })),
      2 ** CATEGORY_BITS,
      CATEGORY_EPOCHS,
    ),
  );
}

/** Values that are chosen from scores rather than trained. */
export type Chosen = Pick<WeightsHeader, "thresholds" | "harmlessBelow" | "categoryMargins" | "rules">;

/** Rounds weights and stores them where `classifier.ts` looks them up. A full bucket keeps the largest ones. */
export function pack(
  { weights, bias }: AlertWeights,
  categories: Float64Array[],
  chosen: Chosen,
): { header: WeightsHeader; weights: Buffer } {
  const bySize = [...weights].toSorted((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
  const bytes = categories.flatMap((of) => [...of.subarray(0, -1)]);
  const header: WeightsHeader = {
    bucketBits: BUCKET_BITS,
    largest: Math.abs(bySize[0]?.[1] ?? 1),
    alertBias: bias,
    ...chosen,
    categories: CATEGORIES,
    categoryBits: CATEGORY_BITS,
    categoryStep: Math.max(...bytes.map(Math.abs)) / 127,
    categoryBiases: categories.map((of) => of.at(-1) ?? 0),
  };
  const slots = new Uint16Array(2 ** BUCKET_BITS * SLOTS);
  for (const [feature, weight] of bySize) {
    const step = Math.round(Math.sqrt(Math.abs(weight) / header.largest) * WEIGHT_STEPS) * Math.sign(weight);
    const bucket = bucketOf(feature, header);
    const free = slots.subarray(bucket, bucket + SLOTS).indexOf(0);
    if (step !== 0 && free >= 0) {
      slots[bucket + free] = (fingerprintOf(feature) << 6) | (step + WEIGHT_STEPS + 1);
    }
  }
  const categoryBytes = Int8Array.from(bytes, (weight) => Math.round(weight / header.categoryStep));
  return { header, weights: Buffer.concat([Buffer.from(slots.buffer), Buffer.from(categoryBytes.buffer)]) };
}

function chosen(windows: Sparse[], most: number, judge: Float64Array | undefined): Sparse[] {
  if (!judge || windows.length <= most) {
    return windows;
  }
  const scored = windows.map((window) => ({ window, score: score(judge, window) }));
  return scored
    .toSorted((first, second) => second.score - first.score)
    .slice(0, most)
    .map(({ window }) => window);
}

/** Replaces features by their numbers, and drops those without a number. */
function numbered(features: Features, numbers: Map<number, number>): Sparse {
  const known = [...features].flatMap(([feature, value]) => {
    const number = numbers.get(feature);
    return number === undefined ? [] : [[number, value] as const];
  });
  return {
    features: Uint32Array.from(known, ([number]) => number),
    values: Float64Array.from(known, ([, value]) => value),
  };
}

function knownFeatures(messages: Features[]): Set<number> {
  const counts = new Map<number, number>();
  for (const features of messages) {
    for (const feature of features.keys()) {
      counts.set(feature, (counts.get(feature) ?? 0) + 1);
    }
  }
  return new Set([...counts].filter(([, count]) => count >= LEAST_MESSAGES).map(([feature]) => feature));
}

/** The values with which features enter a score, as described in `classifier.ts`. */
function valuesOf(features: WordFeatures[]): Features {
  const sums: Features = new Map();
  let squares = 0;
  const put = (feature: number | undefined, value: number) => {
    if (feature !== undefined) {
      sums.set(feature, (sums.get(feature) ?? 0) + value);
      squares += value * value;
    }
  };
  for (const { own, pair, triple } of features) {
    for (const [position, feature] of own.entries()) {
      put(feature, position === 0 ? 1 : RUN_VALUE);
    }
    put(pair, 1);
    put(triple, 1);
  }
  const root = Math.sqrt(squares + FEW);
  return new Map([...sums].map(([feature, value]) => [feature, value / root]));
}

/** Adds up the features that share one weight of a category. */
function inBuckets({ features, values }: Sparse, hashes: number[]): Sparse {
  const buckets = new Map<number, number>();
  for (const [index, feature] of features.entries()) {
    const bucket = (hashes[feature] as number) & (2 ** CATEGORY_BITS - 1);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + (values[index] as number));
  }
  return { features: Uint32Array.from(buckets.keys()), values: Float64Array.from(buckets.values()) };
}
