import type { Results } from "./mix.ts";
import type { Sample } from "./processes.ts";

/** One measured quantity over the whole run. */
export interface Row {
  name: string;
  start: number;
  middle: number;
  end: number;
  /** The increase of the line of best fit from the beginning to the end of the second half. */
  growth: number;
  /** The maximum growth; more counts as growth without bound. */
  allowed: number;
}

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

/** The local service limits its log, which grows with the requests until it reaches the limit. */
const LOG_MEGABYTES = 100;

/** Measures growth in the second half of a run, in which everything that is bounded has reached its level. */
export function growthOf(samples: Sample[]): Row[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  const rows = QUANTITIES.map(({ name, least, of }): Row => {
    const growth = slope(half.map((sample) => [sample.at, of(sample)])) * spanOf(half);
    const middle = level(half.slice(0, 5).map(of));
    const ends = { start: level(samples.slice(0, 5).map(of)), middle, end: level(samples.slice(-5).map(of)) };
    return { name, ...ends, growth, allowed: Math.max(least, ALLOWED_SHARE * middle) };
  });
  const logs = samples.map(({ logMegabytes }) => logMegabytes);
  const [start = 0, middle = 0, end = 0] = [logs[0], logs[Math.floor(logs.length / 2)], logs.at(-1)];
  return [...rows, { name: "log, MB", start, middle, end, growth: end - middle, allowed: LOG_MEGABYTES - middle }];
}

/** @returns a table in Markdown */
export function table(rows: Row[], results: Results, seconds: number): string {
  const sorted = [...results.milliseconds].sort((a, b) => a - b);
  const quantile = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
  const errors = [...results.errors.values()].reduce((sum, times) => sum + times, 0);
  const number = (value: number) => value.toFixed(Number.isInteger(value) ? 0 : 1);
  return [
    "| minutes | requests | a second | aborted | errors | p50 | p99 |",
    "|---|---|---|---|---|---|---|",
    `| ${(seconds / 60).toFixed(1)} | ${results.requests} | ${(results.requests / seconds).toFixed(0)} | ${results.aborted} | ${errors} | ${quantile(0.5)} ms | ${quantile(0.99)} ms |`,
    "",
    "| | start | middle | end | growth in the second half | allowed |",
    "|---|---|---|---|---|---|",
    ...rows.map(
      ({ name, start, middle, end, growth, allowed }) =>
        `| ${name} | ${[start, middle, end].map(number).join(" | ")} | ${growth.toFixed(1)}${growth > allowed ? " **without bound**" : ""} | ${allowed.toFixed(1)} |`,
    ),
    "",
  ].join("\n");
}

function spanOf(samples: Sample[]): number {
  return (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
}

/** The median, which a single garbage collection does not change. */
function level(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The slope of the line of best fit (least squares). */
function slope(points: [number, number][]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [x0, y0] = [mean(0), mean(1)];
  const [sum, square] = points.reduce(([a, b], [x, y]) => [a + (x - x0) * (y - y0), b + (x - x0) ** 2], [0, 0]);
  return square === 0 ? 0 : sum / square;
}
