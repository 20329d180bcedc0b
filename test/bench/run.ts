/**
 * `npm run bench`: measures the figures in docs/performance.md and prints them as Markdown. Needs no network. To
 * measure only some subjects, name them: `npm run bench -- cold memory`.
 */
import { cpus, loadavg, totalmem } from "node:os";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";
import { synthesize } from "../helpers/template/cdk-synth.ts";
import { measureColdStart } from "./cold-start.ts";
import { measureDelivery } from "./delivery.ts";
import { type BenchedFunction, benchedFunctions } from "./functions.ts";
import { measureMemory } from "./memory.ts";
import { round } from "./statistics.ts";
import { measureSweep } from "./sweep.ts";
import { render, type Table } from "./table.ts";
import { measureTurns } from "./turns.ts";

const USAGE = `Measures the figures in docs/performance.md.

  npm run bench                    all subjects
  npm run bench -- cold memory     some of them: cold, memory, sweep, delivery, turns
`;

const { positionals: asked } = readArguments(USAGE, { allowPositionals: true });
let assembly = "";
let functions: BenchedFunction[] = [];

const subjects: Record<string, () => Promise<Table> | Table> = {
  cold: () => withTestEnvironment((environment) => measureColdStart(functions, environment)),
  memory: () => withTestEnvironment((environment) => measureMemory(functions, environment)),
  sweep: () => measureSweep(assembly),
  delivery: () => withTestEnvironment(measureDelivery),
  turns: () => measureTurns(assembly),
};

const unknown = asked.find((name) => !(name in subjects));
if (unknown) {
  usageError(USAGE, `Unknown subject ${unknown}; available subjects: ${Object.keys(subjects).join(", ")}.`);
}
const say = (text: string) => process.stdout.write(`\n${text}\n`);
say(
  `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores of ${cpus()[0]?.model}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.version}, load ${round(loadavg()[0] ?? 0)}`,
);
assembly = await synthesize(".build/bench-cdk.out");
functions = benchedFunctions(assembly);
if (process.platform !== "linux") {
  delete subjects.memory;
  say("The subject memory is skipped: only Linux reports the peak memory of a process.");
}
for (const [name, measure] of Object.entries(subjects)) {
  if (asked.length === 0 || asked.includes(name)) {
    say(render(await measure()));
  }
}

async function withTestEnvironment<T>(measure: (environment: TestEnvironment) => Promise<T>): Promise<T> {
  const environment = await startTestEnvironment(assembly);
  try {
    return await measure(environment);
  } finally {
    await environment.stop();
  }
}
