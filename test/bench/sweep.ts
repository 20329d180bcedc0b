import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { storedThread } from "../helpers/database/stored-thread.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";
import { TENANT } from "./requests.ts";
import { round } from "./statistics.ts";
import type { SweepReport } from "./sweep-process.ts";
import type { Table } from "./table.ts";

/** The threads that one sweep has to delete if there are 1,000 new ones per second, and how many of them are stored. */
const TEN_MINUTES = 600_000;
const SCALE = 50;
const STORED = TEN_MINUTES / SCALE;

const HOUR = 60 * 60 * 1000;

/**
 * Measures all parts of a sweep at once, each in its own process on the same database. The time that a part would need
 * for its share of ten minutes' threads on a processor of its own is extrapolated from its processor time.
 *
 * @param assembly the directory that `cdk synth` wrote
 */
export async function measureSweep(assembly: string): Promise<Table> {
  const environment = await startTestEnvironment(assembly);
  try {
    const parts = (readTemplate(assembly).schedules[0]?.inputs ?? []).map((input) => startPart(environment, input));
    const idle = await Promise.all(parts.map(report));
    await environment.seed(expiredThreads());
    for (const part of parts) {
      part.send("go on");
    }
    const full = await Promise.all(parts.map(report));
    const removed = full.reduce((sum, part) => sum + part.removed, 0);
    if (removed !== STORED) {
      throw new Error(`The parts removed ${removed} of ${STORED} expired threads.`);
    }
    return {
      title: `A sweep in ${parts.length} parts, of threads with 20 messages each`,
      columns: ["part", "ms, none due", "threads", "CPU ms each", "calls each", "write units each", "s for 600,000"],
      rows: full.map((part, index) => [
        index,
        Math.round(idle[index]?.milliseconds ?? Number.NaN),
        part.removed,
        round(part.cpuMilliseconds / part.removed, 2),
        round((part.calls - (idle[index]?.calls ?? 0)) / part.removed, 2),
        round(part.writeUnits / part.removed),
        Math.round((part.cpuMilliseconds * SCALE) / 1000),
      ]),
    };
  } finally {
    await environment.stop();
  }
}

function startPart({ variables }: TestEnvironment, input: unknown): ChildProcess {
  return fork(join(import.meta.dirname, "sweep-process.ts"), [JSON.stringify(input)], {
    env: { ...process.env, ...variables },
    execArgv: ["--max-semi-space-size=12", "--max-old-space-size=192"], // a small heap, so that garbage collection counts
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

async function report(part: ChildProcess): Promise<SweepReport> {
  const [figures] = (await once(part, "message")) as [SweepReport];
  return figures;
}

function* expiredThreads(): Generator<Record<string, unknown>> {
  for (let id = 10_000; id < 10_000 + STORED; id++) {
    yield* storedThread(TENANT, String(id), Date.now() - HOUR);
  }
}
