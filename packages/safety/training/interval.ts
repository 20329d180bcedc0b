/** A percentage with its 95% Wilson score interval (1927), which is also valid for shares near 1. */
export function withInterval(part: number, all: number): string {
  const z = 1.96;
  const share = part / all;
  const center = (share + (z * z) / (2 * all)) / (1 + (z * z) / all);
  const half = (z / (1 + (z * z) / all)) * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const percent = (value: number) => (100 * value).toFixed(1);
  return `${percent(share)} (${percent(Math.max(0, center - half))}–${percent(Math.min(1, center + half))})`;
}
