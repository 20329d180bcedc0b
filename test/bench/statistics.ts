/** The middle one; of an even number, the lower of the two in the middle. */
export function median(values: number[]): number {
  return percentile(values, 50);
}

/** The smallest value that so many percent of all do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
