/**
 * `npm run test:generators`: generates clients from the OpenAPI document of a local service, compiles them, and has each
 * one talk to the service. What this machine lacks is skipped with one line.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { synthesize } from "../../local/synthesize.ts";
import { readArguments, usageError } from "../command-line.ts";
import { GENERATORS, type Generator, STEPS } from "./generators.ts";
import { MissingTool, run, toolchain } from "./toolchain.ts";

const USAGE = `Generates clients from the OpenAPI document, compiles them and lets them talk to a local service; lints the document.

  npm run test:generators                     all generators and linters
  npm run test:generators -- --only NAME      those with NAME in their name, such as java or Spectral; may be repeated

Needs Java 17, Maven and Python 3.10, each only for what uses it, and a network for the first run; downloads are kept in
.build/generators. What this machine lacks is skipped. Exit code: 0 when nothing failed, 1 otherwise, 2 for wrong arguments.
`;

const ROOT = join(import.meta.dirname, "..", "..");
const BUILD = join(ROOT, ".build", "generators");
const API_KEY = "key-of-the-generated-client";

/** A row of the table. */
interface Result {
  name: string;
  compiles: string;
  /** Undefined for what only reads the document. */
  steps: string[] | undefined;
}

const { values } = readArguments(USAGE, { options: { only: { type: "string", multiple: true } } });
const chosen = GENERATORS.filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
if (chosen.length === 0) {
  usageError(USAGE, `There is no ${values.only}; there are ${GENERATORS.map(({ name }) => name).join(", ")}.`);
}

const dataDir = mkdtempSync(join(tmpdir(), "generators-"));
const settings = readSettings({ PORT: "0", API_KEY, DATA_DIR: dataDir });
const silent = { onRequest: () => {}, onLog: () => {} };
const service = await startService(settings, await synthesize(join(".build", "generators-cdk.out")), silent);
try {
  mkdirSync(BUILD, { recursive: true });
  const document = join(BUILD, "openapi.json");
  writeFileSync(document, await (await fetch(`${service.baseUrl}/openapi.json`)).text());
  const results: Result[] = [];
  for (const generator of chosen) {
    results.push(await resultOf(generator, document));
  }
  process.stdout.write(table(results));
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function resultOf(generator: Generator, document: string): Promise<Result> {
  const { name } = generator;
  const folder = join(BUILD, name.replaceAll(/\W+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const program = await generator.build({ folder, document, tools: toolchain(join(BUILD, "downloads")) });
    return { name, compiles: "yes", steps: program && (await stepsOf(program, folder)) };
  } catch (error) {
    if (error instanceof MissingTool) {
      process.stdout.write(`${name}: skipped, because ${error.message}\n`);
      return { name, compiles: "skipped", steps: undefined };
    }
    fail(name, error);
    return { name, compiles: "no", steps: undefined };
  }
}

/** The steps that the program took. */
async function stepsOf({ command, args }: { command: string; args: string[] }, folder: string): Promise<string[]> {
  const phone = String(2_000_000_000 + Math.floor(Math.random() * 1e9));
  const output = await run(command, [...args, phone], folder, { BASE_URL: service.baseUrl, API_KEY });
  const steps = output.trim().split(/\s+/);
  const missing = STEPS.map(([step]) => step).filter((step) => !steps.includes(step));
  if (missing.length > 0) {
    fail(folder, new Error(`did not succeed: ${missing.join(", ")}`));
  }
  return steps;
}

function fail(name: string, error: unknown): void {
  process.exitCode = 1;
  process.stderr.write(`${name}: ${(error as Error).message}\n`);
}

function table(results: Result[]): string {
  const rows = results.map(({ name, compiles, steps }) => [
    name,
    compiles,
    ...STEPS.map(([step]) => (steps === undefined ? "–" : steps.includes(step) ? "yes" : "no")),
  ]);
  const header = ["generator or tool", "compiles or passes", ...STEPS.map(([, column]) => column)];
  return [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}
