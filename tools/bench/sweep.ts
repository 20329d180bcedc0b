import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { storedThread } from "../../test/helpers/database/stored-thread.ts";
import { startTestEnvironment } from "../../test/helpers/service/in-process.ts";
import { TENANT } from "./requests.ts";
import { round } from "./statistics.ts";
import type { SweepReport } from "./sweep-process.ts";
import type { Table } from "./table.ts";

/** Numbers of expired and of active threads. */
const SIZES = [
  [1_000, 0],
  [3_000, 0],
  [10_000, 0],
  [3_000, 3_000],
] as const;

/** The first id that the service assigns. */
const FIRST_ID = 10_000;

/** A small heap, so that memory growth shows what the sweep retains rather than uncollected garbage. */
const HEAP = ["--max-semi-space-size=12", "--max-old-space-size=192"];

const HOUR = 60 * 60 * 1000;

/**
 * Measures a sweep by the number of expired and of active threads.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export async function measureSweep(assembly: string): Promise<Table> {
  const rows: number[][] = [];
  for (const [expired, alive] of SIZES) {
    const [idle, full] = await sweep(assembly, expired, alive);
    if (full.removed !== expired || full.failed > 0 || !full.complete) {
      throw new Error(`The sweep removed ${full.removed} of ${expired} expired threads.`);
    }
    rows.push([
      expired,
      alive,
      round(full.milliseconds / 1000),
      round(full.milliseconds / expired, 2),
      round(full.cpuMilliseconds / expired, 2),
      round((full.calls - idle.calls) / expired, 2),
      round((full.readUnits - idle.readUnits) / expired),
      round((full.writeUnits - idle.writeUnits) / expired),
      Math.round(full.peakMegabytes - idle.peakMegabytes),
      idle.calls,
      Math.round(idle.milliseconds),
    ]);
  }
  return {
    title: "Sweep of expired threads with 20 messages each",
    columns: [
      "expired",
      "active",
      "seconds",
      "ms/thread",
      "CPU ms/thread",
      "calls/thread",
      "read units/thread",
      "write units/thread",
      "memory growth MB",
      "calls, none due",
      "ms, none due",
    ],
    rows,
    notes: ["One sweep per row, each in its own process with its own database on this machine."],
  };
}

/** @returns the figures of a sweep with nothing due, and of one with all expired threads due */
async function sweep(
  assembly: string,
  expired: number,
  alive: number,
): Promise<[idle: SweepReport, full: SweepReport]> {
  const environment = await startTestEnvironment(assembly);
  try {
    await environment.seed(threads(FIRST_ID, alive, Date.now()));
    const child = fork(join(import.meta.dirname, "sweep-process.ts"), {
      env: { ...process.env, ...environment.variables },
      execArgv: HEAP,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const [idle] = (await once(child, "message")) as [SweepReport];
    await environment.seed(threads(FIRST_ID + alive, expired, Date.now() - HOUR));
    child.send("go on");
    const [full] = (await once(child, "message")) as [SweepReport];
    return [idle, full];
  } finally {
    await environment.stop();
  }
}

/** Creates the items of threads with the same last activity, so that all are due at the same sweep. */
function* threads(firstId: number, count: number, lastActivity: number): Generator<Record<string, unknown>> {
  for (let id = firstId; id < firstId + count; id++) {
    yield* storedThread(TENANT, String(id), lastActivity);
  }
}
