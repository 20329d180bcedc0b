import { type Category, CRISES, EMERGENCIES } from "../../shared/chat/safety/alarm.ts";
import type { WeightsHeader } from "../../shared/chat/safety/classifier.ts";
import { FEW, featuresOf, RUN_VALUE, stemsOf, type WordFeatures } from "../../shared/chat/safety/features.ts";
import { windowsOf } from "../../shared/chat/safety/windows.ts";
import { sentencesOf } from "../../shared/chat/safety/words.ts";
import { type Row, score, trainLinear } from "./dual-svm.ts";
import type { Labelled } from "./labelled.ts";

/** Sizes, costs and rounds were chosen by leaving one training set out at a time. */
const ALARM_BITS = 17;
const CATEGORY_BITS = 12;
const COST = 3;
const CATEGORY_COST = 1;
/** A missed alarm costs so many false ones. */
const MISSED = 1.3;
const EPOCHS = 15;
const ROUNDS = 1;
/** What occurs in fewer messages is not learned: three in four features do, and would crowd the weights of the others. */
const LEAST_MESSAGES = 2;

/** The categories a classifier tells apart. */
export const CATEGORIES: Category[] = [...EMERGENCIES.filter((category) => category !== "other"), ...CRISES];

/** A labelled message. */
export interface Example {
  text: string;
  /** Undefined for a harmless message. */
  category: Category | undefined;
  /** What is judged one by one. */
  windows: Features[];
  /** The message as a whole. */
  whole: Features;
}

/** Features, as 32-bit hashes, with their values. */
type Features = Map<number, number>;

export function exampleOf({ text, level, category }: Labelled): Example {
  const stems = stemsOf(sentencesOf(text));
  const words = stems.flat();
  const whole = valuesOf(featuresOf(words));
  const windows = windowsOf(stems).map(({ start, end }) =>
    end - start === words.length ? whole : valuesOf(featuresOf(words.slice(start, end))),
  );
  return { text, category: level === "none" ? undefined : (category as Category), windows, whole };
}

/**
 * Trains what tells alarms from harmless messages. Of a long message the window that the last round found the most
 * alarming stands for it, as it will when the message is judged; of a harmless one, the two most alarming.
 *
 * @returns weights, the bias last
 */
export function trainAlarm(examples: Example[]): Float64Array {
  const known = knownFeatures(examples);
  let weights: Float64Array | undefined;
  for (let round = 0; round <= ROUNDS; round++) {
    const judge = weights;
    const rows = examples.flatMap(({ category, windows }) =>
      chosenWindows(windows, category === undefined ? 2 : 1, judge).map((window) => ({
        ...inBuckets(window, ALARM_BITS, known),
        label: category === undefined ? (-1 as const) : (1 as const),
        cost: category === undefined ? COST : COST * MISSED,
      })),
    );
    weights = trainLinear(rows, 2 ** ALARM_BITS, EPOCHS);
  }
  return weights as Float64Array;
}

/** The score of a message's most alarming window. */
export function alarmScore(weights: Float64Array, { windows }: Example): number {
  return Math.max(...windows.map((window) => score(weights, inBuckets(window, ALARM_BITS))));
}

/** Trains what tells the categories of alarms apart, one against all others. */
export function trainCategories(examples: Example[]): Float64Array[] {
  const alarms = examples.filter(({ category }) => category !== undefined);
  const known = knownFeatures(alarms);
  const rows = alarms.map(({ whole }) => inBuckets(whole, CATEGORY_BITS, known));
  return CATEGORIES.map((wanted) =>
    trainLinear(
      rows.map((row, index) => ({ ...row, label: alarms[index]?.category === wanted ? 1 : -1, cost: CATEGORY_COST })),
      2 ** CATEGORY_BITS,
      EPOCHS,
    ),
  );
}

/** Rounds weights to half bytes and bytes, as `classifier.ts` reads them. */
export function pack(
  alarm: Float64Array,
  categories: Float64Array[],
  threshold: number,
): { header: WeightsHeader; weights: Buffer } {
  const alarmStep = stepFor(alarm.subarray(0, -1), 7);
  const halves = Array.from(alarm.subarray(0, -1), (weight) => rounded(weight, alarmStep, 7) + 8);
  const categoryStep = stepFor(Float64Array.from(categories.flatMap((weights) => [...weights.subarray(0, -1)])), 127);
  const bytes = categories.flatMap((weights) =>
    Array.from(weights.subarray(0, -1), (weight) => rounded(weight, categoryStep, 127)),
  );
  return {
    header: {
      alarmBits: ALARM_BITS,
      alarmStep,
      alarmBias: alarm.at(-1) ?? 0,
      threshold,
      categories: CATEGORIES,
      categoryBits: CATEGORY_BITS,
      categoryStep,
      categoryBiases: categories.map((weights) => weights.at(-1) ?? 0),
    },
    weights: Buffer.concat([
      Buffer.from(
        halves.filter((_, index) => index % 2 === 0).map((low, index) => low | ((halves[index * 2 + 1] ?? 0) << 4)),
      ),
      Buffer.from(Int8Array.from(bytes).buffer),
    ]),
  };
}

function chosenWindows(windows: Features[], most: number, judge: Float64Array | undefined): Features[] {
  if (!judge || windows.length <= most) {
    return windows;
  }
  const scored = windows.map((window) => ({ window, score: score(judge, inBuckets(window, ALARM_BITS)) }));
  return scored
    .toSorted((first, second) => second.score - first.score)
    .slice(0, most)
    .map(({ window }) => window);
}

function knownFeatures(examples: Example[]): Set<number> {
  const messages = new Map<number, number>();
  for (const { whole } of examples) {
    for (const feature of whole.keys()) {
      messages.set(feature, (messages.get(feature) ?? 0) + 1);
    }
  }
  return new Set([...messages].filter(([, count]) => count >= LEAST_MESSAGES).map(([feature]) => feature));
}

/** The values by which features enter a score: `classifier.ts` says how. */
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

/** Adds up what falls into one weight; only of known features, if these are given. */
function inBuckets(features: Features, bits: number, known?: Set<number>): Pick<Row, "features" | "values"> {
  const buckets = new Map<number, number>();
  for (const [feature, value] of features) {
    if (!known || known.has(feature)) {
      const bucket = feature & (2 ** bits - 1);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + value);
    }
  }
  return { features: Uint32Array.from(buckets.keys()), values: Float64Array.from(buckets.values()) };
}

/** The largest weights are cut off: one in two thousand. */
function stepFor(weights: Float64Array, most: number): number {
  const sizes = weights.map(Math.abs).toSorted();
  return (sizes[Math.floor(sizes.length * 0.9995)] as number) / most;
}

function rounded(weight: number, step: number, most: number): number {
  return Math.max(-most, Math.min(most, Math.round(weight / step)));
}
