/** `npm run load`: puts the local service under load, and checks its responses and what it holds. */
import { setTimeout } from "node:timers/promises";
import { readArguments, usageError } from "../command-line.ts";
import { sendGenerated } from "./generated.ts";
import { growthOf, table } from "./growth.ts";
import { type Results, sendMix } from "./mix.ts";
import { canMeasure, type Sample, takeSample } from "./processes.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

const USAGE = `Puts the local service under load, in one of two ways.

  npm run load -- --minutes 10 --rate 40
  npm run load -- --minutes 5 --generated --seed 1

  --minutes N   duration, at least 0.5, without --generated at least 2: 10
  --rate N      requests per second: 40
  --generated   sends what the OpenAPI document allows and forbids, with Schemathesis (Python, installed from PyPI on
                first use; where that is impossible, one line says so), and checks every response
  --seed N      the same seed generates the same requests, as far as responses are the same: 1

Without --generated, a constant mix of requests, some of them aborted, shows what grows without bound: the first tenth
of the time is for warming up, then resources are measured. A quantity grows without bound if the line of best fit
through the second half rises by more than a tenth of its level, and by more than noise; the log, if it exceeds its
limit. Requires Linux, which reports the resources of processes in /proc.
The service runs in a separate process, as npm start runs it, with an empty database and the offline model.
Exit code: 0 if nothing fails or grows, or when skipped; 1 otherwise; 2 if the load could not be sent.
`;

const SAMPLE_MILLISECONDS = 1_000;

const { values } = readArguments(USAGE, {
  options: {
    minutes: { type: "string", default: "10" },
    rate: { type: "string", default: "40" },
    generated: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
  },
});
const [minutes, rate, seed] = [Number(values.minutes), Number(values.rate), Number(values.seed)];
if (!(minutes >= (values.generated ? 0.5 : 2) && minutes <= 1_440)) {
  usageError(USAGE, "--minutes must be from 2 to 1440, or from 0.5 with --generated.");
}
if (!(Number.isInteger(rate) && rate >= 1 && rate <= 1_000 && Number.isInteger(seed))) {
  usageError(USAGE, "--rate must be a whole number from 1 to 1000, and --seed a whole number.");
}

async function main(): Promise<number> {
  if (!values.generated && !canMeasure()) {
    throw new Error("This system does not report the resources of processes in /proc, as Linux does.");
  }
  const expiry = { THREAD_IDLE_SECONDS: "20", SWEEP_INTERVAL_SECONDS: "10" };
  const service = await startServiceProcess(values.generated ? {} : expiry);
  try {
    const passed = await (values.generated ? sendGenerated(service, minutes * 60, seed) : soak(service));
    if (!service.running()) {
      process.stderr.write("The service stopped under load.\n");
      return 1;
    }
    return passed ? 0 : 1;
  } finally {
    await service.stop();
  }
}

/** Sends the mix, and prints what it met and what grew. */
async function soak(service: ServiceProcess): Promise<boolean> {
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => end.abort());
  }
  const results: Results = { requests: 0, aborted: 0, errors: new Map(), milliseconds: [] };
  const milliseconds = minutes * 60_000;
  const startedAt = performance.now();
  const load = sendMix(service, rate, results, end.signal);
  const samples: Sample[] = [];
  while (!end.signal.aborted && service.running() && performance.now() < startedAt + milliseconds) {
    await setTimeout(SAMPLE_MILLISECONDS);
    const at = performance.now() - startedAt;
    if (at > milliseconds / 10) {
      samples.push(takeSample(service.pid, service.dataDir, at));
    }
  }
  end.abort();
  await load;
  const rows = growthOf(samples);
  process.stdout.write(table(rows, results, (performance.now() - startedAt) / 1000));
  for (const [error, times] of results.errors) {
    process.stdout.write(`${times} × ${error}\n`);
  }
  return results.errors.size === 0 && rows.every(({ growth, allowed }) => growth <= allowed);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
