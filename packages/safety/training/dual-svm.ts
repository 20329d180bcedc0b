import { generator } from "./generator.ts";

/** A sparse row: features (indices below the number of weights) with their values. */
export interface Row {
  features: Uint32Array;
  values: Float64Array;
  label: 1 | -1;
  /** The cost of an error on this row. */
  cost: number;
}

/**
 * In other epochs than every so many, rows that do not support the weights are passed over: few of them ever do again.
 */
const ALL_ROWS = 4;

/**
 * Trains a linear classifier with squared hinge loss by dual coordinate descent (Hsieh et al., "A Dual Coordinate
 * Descent Method for Large-scale Linear SVM", ICML 2008, Algorithm 1). The weights are bit-for-bit reproducible on
 * every machine: only the four basic operations are used, whose results IEEE 754 defines exactly, and the order of rows
 * comes from a seeded generator.
 *
 * @param dimensions number of features; a constant one is added for the bias
 * @returns weights, the bias last
 */
export function trainLinear(rows: Row[], dimensions: number, epochs: number): Float64Array {
  const weights = new Float64Array(dimensions + 1);
  const { starts, features, values } = joined(rows);
  const alphas = new Float64Array(rows.length);
  const squares = rows.map((row) => row.values.reduce((sum, value) => sum + value * value, 1));
  const order = Uint32Array.from(rows.keys());
  const random = generator(1);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const index of order) {
      const alpha = alphas[index] as number;
      if (alpha === 0 && epoch % ALL_ROWS !== 0) {
        continue;
      }
      const { label, cost } = rows[index] as Row;
      const diagonal = 0.5 / cost;
      const [start, end] = [starts[index] as number, starts[index + 1] as number];
      let score = weights[dimensions] as number;
      for (let place = start; place < end; place++) {
        score += (weights[features[place] as number] as number) * (values[place] as number);
      }
      const gradient = label * score - 1 + diagonal * alpha;
      const next = Math.max(alpha - gradient / ((squares[index] as number) + diagonal), 0);
      if (next !== alpha) {
        const step = (next - alpha) * label;
        for (let place = start; place < end; place++) {
          const feature = features[place] as number;
          weights[feature] = (weights[feature] as number) + step * (values[place] as number);
        }
        weights[dimensions] = (weights[dimensions] as number) + step;
        alphas[index] = next;
      }
    }
  }
  return weights;
}

/** All rows one after the other in memory, which is read much faster; `starts` has where each begins, and the end. */
function joined(rows: Row[]): Pick<Row, "features" | "values"> & { starts: Uint32Array } {
  const starts = new Uint32Array(rows.length + 1);
  for (const [index, row] of rows.entries()) {
    starts[index + 1] = (starts[index] as number) + row.features.length;
  }
  const features = new Uint32Array(starts[rows.length] as number);
  const values = new Float64Array(features.length);
  for (const [index, row] of rows.entries()) {
    features.set(row.features, starts[index]);
    values.set(row.values, starts[index]);
  }
  return { starts, features, values };
}

function shuffle(items: Uint32Array, random: () => number): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = random() % (last + 1);
    [items[last], items[other]] = [items[other] as number, items[last] as number];
  }
}
