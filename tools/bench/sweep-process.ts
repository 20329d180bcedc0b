/**
 * Sweeps once, in a process of its own as on AWS, and tells its parent what that took. Its memory and its processor
 * time are the sweep's alone.
 */
import { dynamo } from "../../shared/dynamo/client.ts";
import { sweepThreads } from "../../shared/threads/sweep-threads.ts";
import { watchDatabase } from "../../test/helpers/database/usage.ts";

export type SweepReport = Awaited<ReturnType<typeof measure>>;

const usage = watchDatabase(dynamo);
// The first sweep, with nothing due, is what an ordinary run costs; it also warms the process for the second.
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
