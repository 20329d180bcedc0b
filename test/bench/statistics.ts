/** The middle value; for an even count, the lower of the two middle values. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? Number.NaN;
}

/**
 * The median of the ratios of pairs that were measured one right after the other. A disturbance of the machine that
 * lasts longer than a pair affects both values and cancels out.
 */
export function medianRatio(values: number[], floors: number[]): number {
  return median(values.map((value, pair) => value / (floors[pair] ?? Number.NaN)));
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
