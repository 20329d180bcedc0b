/**
 * Runs sweeps in a separate process, so that its memory and CPU time are the sweep's alone, and sends the figures to its
 * parent.
 */

import { sweepThreads } from "../../shared/data-lifecycle/sweep-threads.ts";
import { dynamo } from "../../shared/dynamo/client.ts";
import { watchDatabase } from "../../test/helpers/database/usage.ts";

export type SweepReport = Awaited<ReturnType<typeof measure>>;

const usage = watchDatabase(dynamo);
// The first sweep finds nothing due, like an ordinary run. It also warms the process up for the second one.
process.send?.(await measure());
process.once("message", async () => {
  process.send?.(await measure());
  process.disconnect();
});

async function measure() {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const result = await sweepThreads(() => 9 * 60_000);
  const { user, system } = process.cpuUsage(cpu);
  return {
    ...result,
    ...usage(),
    milliseconds: performance.now() - startedAt,
    cpuMilliseconds: (user + system) / 1000,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}
