import { type Category, CRISES, EMERGENCIES } from "../alerts.ts";
import {
  bucketOf,
  fingerprintOf,
  ownSum,
  RunningSums,
  SLOTS,
  WEIGHT_STEPS,
  type WeightsHeader,
} from "../screening/classifier.ts";
import { FEW, featuresOf, ownFeatures, RUN_VALUE, stemsOf, type WordFeatures } from "../words/features.ts";
import { FEWEST_WORDS, partsOf, WINDOW_WORDS, type Window } from "../words/windows.ts";
import { sentencesOf } from "../words/words.ts";
import { type Row, trainLinear } from "./dual-svm.ts";
import { DILUTED, type TrainingText } from "./mix.ts";

/** Sizes, costs and rounds were chosen by leaving out one training set at a time. */
const BUCKET_BITS = 15;
const CATEGORY_BITS = 11;
const COST = 3;
const CATEGORY_COST = 1;
/** A missed alert costs as much as this many false ones. */
const MISSED = 1.3;
const EPOCHS = 45;
const CATEGORY_EPOCHS = 8;
const ROUNDS = 2;
/** The number of parts of a harmless message to train on; of an alert it is one. */
const HARMLESS_PARTS = 5;
/**
 * Harmless categories whose parts may be alarming: only the whole shows that the danger is denied, past or invented.
 */
const NEAR_MISSES = new Set(["negated", "past", "family", "idiom", "fiction", "professional", "question", "resolved"]);
/**
 * Features that occur in fewer messages are ignored: three in four do, and would crowd out the weights of the others.
 */
const LEAST_MESSAGES = 2;

/** The categories that a classifier distinguishes. */
const CATEGORIES: Category[] = [...EMERGENCIES, ...CRISES];

/** A labeled text, as rows of features. */
interface Example {
  /** Undefined for a harmless message. */
  category: Category | undefined;
  /** The message as a whole. */
  whole: Sparse;
  /** The parts to choose from, and the features of the words that they consist of. */
  parts: Window[];
  words: number[][];
  /** Whether only a part stands for the message, since the whole is mostly harmless text. */
  isDiluted: boolean;
}

type Sparse = Pick<Row, "features" | "values">;

/** Features, as signed 32-bit hashes, which are faster as keys, with their values. */
type Features = Map<number, number>;

/** Examples, and the hashes of the features by their numbers in the examples' rows. */
export interface Corpus {
  hashes: number[];
  numbers: Map<number, number>;
  examples: Example[];
}

/** Converts texts to rows once, for any number of trainings. */
export function corpusOf(texts: TrainingText[]): Corpus {
  const read = texts.map(({ text, level, category, source }) => {
    const stems = sentencesOf(text)
      .map(stemsOf)
      .filter((words) => words.length > 0);
    const words = stems.flat().map(ownFeatures);
    const isDiluted = source === DILUTED;
    const hasParts = isDiluted || words.length > WINDOW_WORDS || (level === "none" && !NEAR_MISSES.has(category));
    const parts = hasParts && words.length >= FEWEST_WORDS ? partsOf(stems) : [];
    return { whole: valuesOf(featuresOf(words)), parts, words: parts.length > 0 ? words : [], isDiluted };
  });
  const hashes = knownFeatures(read.map(({ whole }) => whole));
  const numbers = new Map(hashes.map((hash, index) => [hash, index]));
  const examples = texts.map(({ level, category }, index) => {
    const { whole, ...others } = read[index] as (typeof read)[number];
    return {
      ...others,
      category: level === "none" ? undefined : (category as Category),
      whole: numbered(whole, numbers),
    };
  });
  return { hashes, numbers, examples };
}

/** Weights by feature, and the bias. */
export interface AlertWeights {
  weights: Map<number, number>;
  bias: number;
}

/**
 * Trains the weights that distinguish alerts from harmless messages. After the first round, the parts that scored
 * highest are added, as they decide when the message is judged.
 */
export function trainAlert(corpus: Corpus): AlertWeights {
  const { hashes, examples } = corpus;
  let weights: Float64Array = new Float64Array();
  for (let round = 0; round <= ROUNDS; round++) {
    const rows = examples.flatMap((example) => {
      const isHarmless = example.category === undefined;
      const label = isHarmless ? (-1 as const) : (1 as const);
      const cost = isHarmless ? COST : COST * MISSED;
      return (round === 0 ? [example.whole] : rowsOf(example, corpus, weights)).map((row) => ({ ...row, label, cost }));
    });
    weights = trainLinear(rows, hashes.length, EPOCHS);
  }
  return {
    weights: new Map(hashes.map((feature, index) => [feature >>> 0, weights[index] as number])),
    bias: weights[hashes.length] as number,
  };
}

function rowsOf(example: Example, { numbers }: Corpus, weights: Float64Array): Sparse[] {
  const { category, whole, parts, words, isDiluted } = example;
  if (parts.length === 0) {
    return [whole];
  }
  const weightOf = (feature: number) => weights[numbers.get(feature | 0) ?? -1] ?? 0;
  const sums = new RunningSums(
    featuresOf(words),
    words.map((own) => ownSum(own, weightOf)),
    weightOf,
  );
  const byScore = parts
    .map((part) => ({ part, score: sums.score(part) }))
    .toSorted((first, second) => second.score - first.score)
    .map(({ part }) => part);
  const chosen: Window[] = [];
  for (const part of byScore) {
    if (chosen.every(({ start, end }) => part.end <= start || end <= part.start)) {
      chosen.push(part);
    }
  }
  const rows = chosen
    .slice(0, category === undefined ? HARMLESS_PARTS : 1)
    .map(({ start, end }) => numbered(valuesOf(featuresOf(words.slice(start, end))), numbers));
  return isDiluted ? rows : [whole, ...rows];
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
  const bytes = Array.from({ length: 2 ** CATEGORY_BITS }, (_, bucket) =>
    categories.map((weights) => weights[bucket] as number),
  ).flat();
  const header: WeightsHeader = {
    bucketBits: BUCKET_BITS,
    largest: Math.abs(bySize[0]?.[1] ?? 1),
    alertBias: bias,
    ...chosen,
    categories: CATEGORIES,
    categoryBits: CATEGORY_BITS,
    categoryStep: Math.max(...bytes.map(Math.abs)) / 127,
    categoryBiases: categories.map((weights) => weights.at(-1) ?? 0),
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

/** Replaces features by their numbers, and drops those without a number. */
function numbered(features: Features, numbers: Map<number, number>): Sparse {
  const [known, values]: [number[], number[]] = [[], []];
  for (const [feature, value] of features) {
    const number = numbers.get(feature);
    if (number !== undefined) {
      known.push(number);
      values.push(value);
    }
  }
  return { features: Uint32Array.from(known), values: Float64Array.from(values) };
}

/** The features of at least {@link LEAST_MESSAGES} messages. */
function knownFeatures(messages: Features[]): number[] {
  const all = new Int32Array(messages.reduce((sum, { size }) => sum + size, 0));
  let size = 0;
  for (const features of messages) {
    for (const feature of features.keys()) {
      all[size++] = feature;
    }
  }
  all.sort();
  const isLeast = (feature: number, index: number) =>
    feature === all[index - LEAST_MESSAGES + 1] && feature !== all[index - LEAST_MESSAGES];
  return [...all.filter(isLeast)];
}

/** The values with which features enter a score, as described in `classifier.ts`. */
function valuesOf(features: WordFeatures[]): Features {
  const sums: Features = new Map();
  let squares = 0;
  const put = (feature: number | undefined, value: number) => {
    if (feature !== undefined) {
      sums.set(feature | 0, (sums.get(feature | 0) ?? 0) + value);
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
