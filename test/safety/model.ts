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
const EPOCHS = 30;
const ROUNDS = 2;

/** The categories a classifier tells apart. */
export const CATEGORIES: Category[] = [...EMERGENCIES.filter((category) => category !== "other"), ...CRISES];

/** A labelled message, as windows of features. */
export interface Example {
  text: string;
  /** Undefined for a harmless message. */
  category: Category | undefined;
  windows: Sparse[];
}

type Sparse = Pick<Row, "features" | "values">;

export function exampleOf({ text, level, category }: Labelled): Example {
  const stems = stemsOf(sentencesOf(text));
  const words = stems.flat();
  return {
    text,
    category: level === "none" ? undefined : (category as Category),
    windows: windowsOf(stems).map(({ start, end }) => sparse(featuresOf(words.slice(start, end)), ALARM_BITS)),
  };
}

/**
 * Trains what tells alarms from harmless messages. Of a long message the window that the last round found the most
 * alarming stands for it, as it will when the message is judged; of a harmless one, the two most alarming.
 *
 * @returns weights, the bias last
 */
export function trainAlarm(examples: Example[]): Float64Array {
  let weights = trainLinear(
    examples.flatMap((example) => rowsOf(example, undefined)),
    2 ** ALARM_BITS,
    EPOCHS,
  );
  for (let round = 0; round < ROUNDS; round++) {
    const judged = weights;
    weights = trainLinear(
      examples.flatMap((example) => rowsOf(example, judged)),
      2 ** ALARM_BITS,
      EPOCHS,
    );
  }
  return weights;
}

/** The score of a message's most alarming window. */
export function alarmScore(weights: Float64Array, { windows }: Example): number {
  return windows.reduce((highest, window) => Math.max(highest, score(weights, window)), Number.NEGATIVE_INFINITY);
}

/** Trains what tells the categories of alarms apart, one against all others. */
export function trainCategories(examples: Example[]): Float64Array[] {
  const rows = examples
    .filter(({ category }) => category !== undefined)
    .map(({ text, category }) => ({
      category,
      row: sparse(featuresOf(stemsOf(sentencesOf(text)).flat()), CATEGORY_BITS),
    }));
  return CATEGORIES.map((wanted) =>
    trainLinear(
      rows.map(({ category, row }) => ({ ...row, label: category === wanted ? 1 : -1, cost: CATEGORY_COST })),
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

function rowsOf({ category, windows }: Example, judge: Float64Array | undefined): Row[] {
  const label = category === undefined ? -1 : 1;
  const cost = category === undefined ? COST : COST * MISSED;
  const most = category === undefined ? 2 : 1;
  const chosen = judge
    ? windows.toSorted((first, second) => score(judge, second) - score(judge, first)).slice(0, most)
    : windows;
  return chosen.map((window) => ({ ...window, label, cost }));
}

function sparse(features: WordFeatures[], bits: number): Sparse {
  const sums = new Map<number, number>();
  let squares = 0;
  const put = (feature: number | undefined, value: number) => {
    if (feature !== undefined) {
      const index = feature & (2 ** bits - 1);
      sums.set(index, (sums.get(index) ?? 0) + value);
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
  return {
    features: Uint32Array.from(sums.keys()),
    values: Float64Array.from(sums.values(), (value) => value / root),
  };
}

/** The largest weights are cut off: one in two thousand. */
function stepFor(weights: Float64Array, most: number): number {
  const sizes = weights.map(Math.abs).toSorted();
  return (sizes[Math.floor(sizes.length * 0.9995)] as number) / most;
}

function rounded(weight: number, step: number, most: number): number {
  return Math.max(-most, Math.min(most, Math.round(weight / step)));
}
