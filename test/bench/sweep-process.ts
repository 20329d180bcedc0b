/** Runs a part of a sweep, twice, in a separate process, so that its processor time is the sweep's alone. */

import { setTimeout } from "node:timers/promises";
import { sweepThreads } from "../../shared/data-lifecycle/sweep-threads.ts";
import { dynamo } from "../../shared/dynamo/client.ts";
import { watchDatabase } from "../helpers/database/usage.ts";

export type SweepReport = Awaited<ReturnType<typeof measure>>;

/** A typical latency of a DynamoDB call, by which calls to the embedded one are delayed. */
const CALL_MILLISECONDS = 10;

const part = JSON.parse(process.argv[2] ?? "{}");
const usage = watchDatabase(dynamo);
dynamo.middlewareStack.add(
  (next) => async (args) => {
    await setTimeout(CALL_MILLISECONDS);
    return next(args);
  },
  { step: "finalizeRequest", name: "delay" },
);
// The first sweep finds nothing due, like an ordinary run. It also warms the process up for the second one.
process.send?.(await measure());
process.once("message", async () => {
  process.send?.(await measure());
  process.disconnect();
});

async function measure() {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const { removed } = await sweepThreads(() => 9 * 60_000, part);
  const { user, system } = process.cpuUsage(cpu);
  const milliseconds = performance.now() - startedAt;
  return { removed, ...usage(), milliseconds, cpuMilliseconds: (user + system) / 1000 };
}
