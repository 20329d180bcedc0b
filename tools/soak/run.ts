/** `npm run soak`: puts the local service under constant load, and detects what grows without bound. */
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { growthOf, table } from "./growth.ts";
import { type Results, sendLoad } from "./load.ts";
import { canMeasure, type Sample, takeSample } from "./processes.ts";
import { startServiceProcess } from "./service-process.ts";

const USAGE = `Puts the local service under constant load, including aborted requests, and measures what it holds.

  npm run soak -- --minutes 10 --rate 40

  --minutes N   duration, at least 2 (default: 10)
  --rate N      requests per second (default: 40)

The service runs in a separate process, as npm start runs it, with an empty database, the offline model, and threads
that expire after 20 seconds. The first tenth of the time is for warming up. A quantity grows without bound if the line
of best fit through the second half rises by more than a tenth of its level, and by more than noise; the log, if it
exceeds its limit. Requires Linux, which reports the resources of processes in /proc.
Exit code: 0 if nothing grows and no request fails; 1 otherwise; 2 if the load could not be sent.
`;

const SAMPLE_MILLISECONDS = 1_000;

/** @throws Error with a sentence for the caller */
function readOptions(): { minutes: number; rate: number; help: boolean } {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      rate: { type: "string", default: "40" },
      help: { type: "boolean", default: false },
    },
  });
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
  if (!(minutes >= 2 && minutes <= 1_440) || !(Number.isInteger(rate) && rate >= 1 && rate <= 1_000)) {
    throw new Error("--minutes must be from 2 to 1440, and --rate a whole number from 1 to 1000.");
  }
  return { minutes, rate, help: values.help };
}

async function main(): Promise<number> {
  let options: { minutes: number; rate: number; help: boolean };
  try {
    options = readOptions();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (!canMeasure()) {
    process.stderr.write("This system does not report the resources of processes in /proc, as Linux does.\n");
    return 2;
  }
  const service = await startServiceProcess({ THREAD_IDLE_SECONDS: "20", SWEEP_INTERVAL_SECONDS: "10" });
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => end.abort());
  }
  try {
    const results: Results = { requests: 0, aborted: 0, errors: new Map(), milliseconds: [] };
    const seconds = options.minutes * 60;
    const startedAt = performance.now();
    const load = sendLoad(service, options.rate, results, end.signal);
    const samples: Sample[] = [];
    while (!end.signal.aborted && service.running() && performance.now() < startedAt + seconds * 1000) {
      await setTimeout(SAMPLE_MILLISECONDS);
      const at = performance.now() - startedAt;
      if (at > seconds * 100) {
        samples.push(takeSample(service.pid, service.dataDir, at));
      }
    }
    end.abort();
    await load;
    if (!service.running()) {
      process.stderr.write("The service stopped under load.\n");
      return 1;
    }
    const rows = growthOf(samples);
    process.stdout.write(table(rows, results, (performance.now() - startedAt) / 1000));
    for (const [error, times] of results.errors) {
      process.stdout.write(`${times} × ${error}\n`);
    }
    return results.errors.size > 0 || rows.some(({ growth, allowed }) => growth > allowed) ? 1 : 0;
  } finally {
    await service.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
