/**
 * Runs sweeps in a separate process, so that its memory and CPU time are the sweep's alone, and sends the figures to its
 * parent. Its arguments are the part to sweep, as JSON, and the milliseconds by which each database call is delayed, as it
 * would be by a network.
 */

import { setTimeout } from "node:timers/promises";
import { sweepThreads } from "../../shared/data-lifecycle/sweep-threads.ts";
import { dynamo } from "../../shared/dynamo/client.ts";
import { watchDatabase } from "../../test/helpers/database/usage.ts";

export type SweepReport = Awaited<ReturnType<typeof measure>>;

const [part = "{}", delay = "0"] = process.argv.slice(2);
const usage = watchDatabase(dynamo);
dynamo.middlewareStack.add(
  (next) => async (args) => {
    await setTimeout(Number(delay));
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
  const result = await sweepThreads(() => 9 * 60_000, JSON.parse(part));
  const { user, system } = process.cpuUsage(cpu);
  return {
    ...result,
    ...usage(),
    milliseconds: performance.now() - startedAt,
    cpuMilliseconds: (user + system) / 1000,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}
