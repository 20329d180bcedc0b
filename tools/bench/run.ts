/**
 * `npm run bench`: measures the figures in docs/performance.md, prints them as Markdown, and writes them to
 * .build/bench.md and .build/bench.json. Needs no network. To measure only some subjects, name them:
 * `npm run bench -- turns memory`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { synthesize } from "../../local/synthesize.ts";
import { startTestEnvironment, type TestEnvironment } from "../../test/helpers/service/in-process.ts";
import { readArguments, usageError } from "../command-line.ts";
import { measureBundles } from "./bundles.ts";
import { measureCapacity } from "./capacity.ts";
import { measureColdStart } from "./cold-start.ts";
import { measureDocsPage } from "./docs-page.ts";
import { benchedFunctions } from "./functions.ts";
import { measureHandlers } from "./handler.ts";
import { compareWithLimits, type Measured } from "./limits.ts";
import { describeMachine } from "./machine.ts";
import { measureMemory } from "./memory.ts";
import { measureProcessStart } from "./process-start.ts";
import { measureSweep } from "./sweep.ts";
import { render, type Table } from "./table.ts";
import { measureTurns } from "./turns.ts";

const USAGE = `Measures the figures in docs/performance.md; writes .build/bench.md and .build/bench.json.

  npm run bench                    all subjects
  npm run bench -- turns memory    some of them: bundles, process, cold, handlers, turns, memory, capacity, sweep, docs
`;

const OUTPUT = join(import.meta.dirname, "..", "..", ".build", "bench");

const { positionals: asked } = readArguments(USAGE, { allowPositionals: true });
const machine = describeMachine();
let assembly = "";
let functions: ReturnType<typeof benchedFunctions> = [];

const subjects: Record<keyof Measured, () => Promise<Table> | Table> = {
  bundles: () => measureBundles(functions),
  process: () => withTestEnvironment(({ variables }) => measureProcessStart(functions, variables)),
  cold: () => withTestEnvironment((environment) => measureColdStart(functions, environment)),
  handlers: () => measureHandlers(),
  turns: () => measureTurns(assembly),
  memory: () => withTestEnvironment((environment) => measureMemory(functions, environment)),
  capacity: () => withTestEnvironment(measureCapacity),
  sweep: () => measureSweep(assembly),
  docs: () => measureDocsPage(assembly),
};

const unknown = asked.find((name) => !(name in subjects));
if (unknown) {
  usageError(USAGE, `Unknown subject ${unknown}; available subjects: ${Object.keys(subjects).join(", ")}.`);
}
say(machine);
// Without reserved concurrency: 16 clients at once are more than the stage dev allows.
assembly = await synthesize(".build/bench-cdk.out", { reserveConcurrency: "false" });
functions = benchedFunctions(assembly);
const measured: Measured = {};
for (const [name, measure] of Object.entries(subjects)) {
  if (asked.length === 0 || asked.includes(name)) {
    const table = await measure();
    measured[name as keyof Measured] = table;
    say(table);
  }
}
const limits = compareWithLimits(functions, measured);
say(limits);
writeFileSync(`${OUTPUT}.json`, JSON.stringify({ machine, ...measured, limits }, undefined, 2));
writeFileSync(
  `${OUTPUT}.md`,
  [machine, ...Object.values(measured), limits].map((table) => `${render(table)}\n`).join("\n"),
);
process.stdout.write(`\nWritten to ${OUTPUT}.md and .json\n`);

function say(table: Table): void {
  process.stdout.write(`\n${render(table)}\n`);
}

async function withTestEnvironment<T>(measure: (environment: TestEnvironment) => Promise<T>): Promise<T> {
  const environment = await startTestEnvironment(assembly);
  try {
    return await measure(environment);
  } finally {
    await environment.stop();
  }
}
