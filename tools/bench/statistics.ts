/** The middle value; for an even count, the lower of the two middle values. */
export function median(values: number[]): number {
  return percentile(values, 50);
}

/**
 * The median of the ratios of pairs that were measured one right after the other. A disturbance of the machine that
 * lasts longer than a pair affects both values and cancels out.
 */
export function medianRatio(values: number[], floors: number[]): number {
  return median(values.map((value, pair) => value / (floors[pair] ?? Number.NaN)));
}

/** The smallest value that is at least as large as `percent` percent of all values. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
