import type { Results } from "./mix.ts";
import type { Sample } from "./processes.ts";

/** One measured quantity over the second half of a run. */
export interface Row {
  name: string;
  middle: number;
  end: number;
  /** The increase of the line of best fit from the beginning to the end. */
  growth: number;
  /** The maximum growth; more counts as growth without bound. */
  allowed: number;
}

/** The local service limits its log, which grows with the requests until it reaches the limit. */
const LOG_MEGABYTES = 100;

/** Growth of less than a tenth of the level, or of less than `least`, is noise. */
const ALLOWED_SHARE = 0.1;
const QUANTITIES: { name: string; least: number; of: (sample: Sample) => number }[] = [
  { name: "service: memory, MB", least: 25, of: ({ service }) => service.megabytes },
  { name: "service: descriptors", least: 5, of: ({ service }) => service.descriptors },
  { name: "Lambda processes", least: 0.5, of: ({ lambdas }) => lambdas.processes },
  { name: "Lambda processes: memory, MB", least: 60, of: ({ lambdas }) => lambdas.megabytes },
  { name: "Lambda processes: descriptors", least: 10, of: ({ lambdas }) => lambdas.descriptors },
  { name: "database: memory, MB", least: 15, of: ({ database }) => database.megabytes },
  { name: "database: descriptors", least: 5, of: ({ database }) => database.descriptors },
  { name: "database: files, MB", least: 2, of: ({ databaseMegabytes }) => databaseMegabytes },
];

/** Measures growth in the second half of a run, in which everything that is bounded has reached its level. */
export function growthOf(samples: Sample[]): Row[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  const span = (half.at(-1)?.at ?? 0) - (half[0]?.at ?? 0);
  const rows = QUANTITIES.map(({ name, least, of }): Row => {
    const [middle, end] = [median(half.slice(0, 5).map(of)), median(half.slice(-5).map(of))];
    const growth = slope(half.map((sample) => [sample.at, of(sample)])) * span;
    return { name, middle, end, growth, allowed: Math.max(least, ALLOWED_SHARE * middle) };
  });
  const [middle = 0, end = 0] = [half[0]?.logMegabytes, half.at(-1)?.logMegabytes];
  return [...rows, { name: "log, MB", middle, end, growth: end - middle, allowed: LOG_MEGABYTES - middle }];
}

/** @returns a table in Markdown */
export function table(rows: Row[], results: Results, seconds: number): string {
  const sorted = results.milliseconds.toSorted((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(share * sorted.length)]?.toFixed(0));
  return [
    `${results.requests} requests in ${(seconds / 60).toFixed(1)} minutes, ${results.aborted} aborted; p50 ${p50} ms, p99 ${p99} ms`,
    "",
    "| | middle | end | growth | allowed |",
    "|---|---|---|---|---|",
    ...rows.map(({ name, middle, end, growth, allowed }) => {
      const figures = [middle, end, growth, allowed].map((value) => value.toFixed(1));
      return `| ${name}${growth > allowed ? " **without bound**" : ""} | ${figures.join(" | ")} |`;
    }),
    "",
  ].join("\n");
}

/** The median, which a single garbage collection does not change. */
function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The slope of the line of best fit (least squares). */
function slope(points: [number, number][]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x0, y0] = [mean(0), mean(1)];
  const [sum, square] = points.reduce(([a, b], [x, y]) => [a + (x - x0) * (y - y0), b + (x - x0) ** 2], [0, 0]);
  return square === 0 ? 0 : sum / square;
}
