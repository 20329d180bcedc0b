import { median, round } from "./statistics.ts";
import type { Table } from "./table.ts";

const RUNS = 60;

/** Measures a run of the delivery that finds nothing due, which is what happens in most minutes of a month. */
export async function measureDelivery(): Promise<Table> {
  const { deliverEvents } = await import("../../shared/events/deliver-events.ts");
  const runs: { cpu: number; total: number }[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const startedAt = performance.now();
    const cpu = process.cpuUsage();
    await deliverEvents(() => 2 * 60_000, "schedule");
    const { user, system } = process.cpuUsage(cpu);
    runs.push({ cpu: (user + system) / 1000, total: performance.now() - startedAt });
  }
  runs.shift(); // the first run of a process connects to the database
  return {
    title: "A run of the delivery, nothing due",
    columns: ["runs", "CPU ms", "ms"],
    rows: [[RUNS, round(median(runs.map(({ cpu }) => cpu))), round(median(runs.map(({ total }) => total)))]],
  };
}
