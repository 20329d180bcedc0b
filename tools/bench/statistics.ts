/** The middle one; of an even number, the lower of the two in the middle. */
export function median(values: number[]): number {
  return percentile(values, 50);
}

/**
 * How many times the one took as long as the other, by pairs that were measured one right after the other: the median
 * of their ratios. What disturbs the machine for longer than a pair takes disturbs both of it, and cancels out.
 */
export function medianRatio(values: number[], floors: number[]): number {
  return median(values.map((value, pair) => value / (floors[pair] ?? Number.NaN)));
}

/** The smallest value that so many percent of all do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
