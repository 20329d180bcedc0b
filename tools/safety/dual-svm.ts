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
  const alphas = new Float64Array(rows.length);
  const squares = rows.map(({ values }) => values.reduce((sum, value) => sum + value * value, 1));
  const order = Uint32Array.from(rows.keys());
  const random = generator(1);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const index of order) {
      const row = rows[index] as Row;
      const diagonal = 0.5 / row.cost;
      const alpha = alphas[index] ?? 0;
      if (alpha === 0 && epoch % ALL_ROWS !== 0) {
        continue;
      }
      const gradient = row.label * score(weights, row) - 1 + diagonal * alpha;
      const next = Math.max(alpha - gradient / ((squares[index] ?? 1) + diagonal), 0);
      if (next !== alpha) {
        add(weights, row, (next - alpha) * row.label);
        alphas[index] = next;
      }
    }
  }
  return weights;
}

/** The decision value of a row. */
function score(weights: Float64Array, { features, values }: Pick<Row, "features" | "values">): number {
  let sum = weights[weights.length - 1] ?? 0;
  for (let index = 0; index < features.length; index++) {
    sum += (weights[features[index] as number] as number) * (values[index] as number);
  }
  return sum;
}

function add(weights: Float64Array, { features, values }: Row, step: number): void {
  for (let index = 0; index < features.length; index++) {
    const feature = features[index] as number;
    weights[feature] = (weights[feature] as number) + step * (values[index] as number);
  }
  weights[weights.length - 1] = (weights[weights.length - 1] as number) + step;
}

/** Mulberry32: a generator of 32-bit numbers from a seed, with the same results on every machine. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return (value ^ (value >>> 14)) >>> 0;
  };
}

function shuffle(items: Uint32Array, random: () => number): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = random() % (last + 1);
    [items[last], items[other]] = [items[other] as number, items[last] as number];
  }
}
