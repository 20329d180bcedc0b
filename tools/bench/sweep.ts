import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readTemplate } from "../../local/template.ts";
import { storedThread } from "../../test/helpers/database/stored-thread.ts";
import { startTestEnvironment, type TestEnvironment } from "../../test/helpers/service/in-process.ts";
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

/** The threads that one sweep has to delete if there are 1,000 new ones per second, and how many of them are stored. */
const TEN_MINUTES = 600_000;
const SCALE = 50;

/** A typical latency of a DynamoDB call, by which calls to the embedded one are delayed. */
const CALL_MILLISECONDS = 10;

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

/**
 * Measures the parts of a sweep at once, on a fiftieth of the threads that are due after ten minutes with 1,000 new threads
 * per second. The time that each part would need for its share of all of them is extrapolated from its processor time.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export async function measureParallelSweep(assembly: string): Promise<Table> {
  const environment = await startTestEnvironment(assembly);
  try {
    const inputs = readTemplate(assembly).schedules[0]?.inputs ?? [];
    const parts = inputs.map((input) => startSweep(environment, JSON.stringify(input), String(CALL_MILLISECONDS)));
    const idle = await Promise.all(parts.map(report));
    await environment.seed(threads(FIRST_ID, TEN_MINUTES / SCALE, Date.now() - HOUR));
    for (const part of parts) {
      part.send("go on");
    }
    const full = await Promise.all(parts.map(report));
    const removed = full.reduce((sum, part) => sum + part.removed, 0);
    if (removed !== TEN_MINUTES / SCALE) {
      throw new Error(`The parts removed ${removed} of ${TEN_MINUTES / SCALE} expired threads.`);
    }
    return {
      title: `A sweep in ${parts.length} parts, of threads with 20 messages each`,
      columns: [
        "part",
        "threads",
        "CPU ms/thread",
        "calls/thread",
        "write units/thread",
        "of which index",
        "calls, none due",
        "s for 600,000 threads",
      ],
      rows: full.map((part, index) => [
        index,
        part.removed,
        round(part.cpuMilliseconds / part.removed, 2),
        round((part.calls - (idle[index]?.calls ?? 0)) / part.removed, 2),
        round(part.writeUnits / part.removed),
        round(part.indexWriteUnits / part.removed),
        idle[index]?.calls ?? 0,
        Math.round((part.cpuMilliseconds * SCALE) / 1000),
      ]),
      notes: [
        `All parts at once, in their own processes, on one database, with ${CALL_MILLISECONDS} ms for each call.`,
        "The last column is extrapolated: the processor time times 50, as on one processor for each part.",
      ],
    };
  } finally {
    await environment.stop();
  }
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
    const child = startSweep(environment);
    const idle = await report(child);
    await environment.seed(threads(FIRST_ID + alive, expired, Date.now() - HOUR));
    child.send("go on");
    return [idle, await report(child)];
  } finally {
    await environment.stop();
  }
}

function startSweep({ variables }: TestEnvironment, ...args: string[]): ChildProcess {
  return fork(join(import.meta.dirname, "sweep-process.ts"), args, {
    env: { ...process.env, ...variables },
    execArgv: HEAP,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

async function report(child: ChildProcess): Promise<SweepReport> {
  const [figures] = (await once(child, "message")) as [SweepReport];
  return figures;
}

/** Creates the items of threads with the same last activity, so that all are due at the same sweep. */
function* threads(firstId: number, count: number, lastActivity: number): Generator<Record<string, unknown>> {
  for (let id = firstId; id < firstId + count; id++) {
    yield* storedThread(TENANT, String(id), lastActivity);
  }
}
