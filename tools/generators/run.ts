/**
 * `npm run test:generators`: generates clients from the OpenAPI document of a local service, compiles them, and has each
 * one talk to the service. What this machine lacks is skipped with one line. The results are also in docs/generators.md.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";
import { synthesize } from "../../local/synthesize.ts";
import { readArguments, usageError } from "../command-line.ts";
import { startForwarder } from "./forwarder.ts";
import type { Generator, Program } from "./generator.ts";
import { GENERATORS } from "./generators.ts";
import { updateTable } from "./results-table.ts";
import { MissingTool, run } from "./toolchain.ts";

const USAGE = `Generates clients from the OpenAPI document, compiles them and lets them talk to a local service; lints the document.

  npm run test:generators                     all generators and linters
  npm run test:generators -- --only NAME      those with NAME in their name, such as java or Spectral; may be repeated

Needs Java 17, Maven, Python 3.10, Go 1.24, PHP 8.2 with Composer, and .NET 10, each only for what uses it, and a network for
the first run; downloads are kept in .build/generators. What this machine lacks is skipped. The results of those that ran are
written to docs/generators.md. Exit code: 0 when nothing failed, 1 otherwise, 2 for wrong arguments.
`;

const ROOT = join(import.meta.dirname, "..", "..");
const BUILD = join(ROOT, ".build", "generators");
const API_KEY = "key-of-the-generated-client";

const { values } = readArguments(USAGE, { options: { only: { type: "string", multiple: true } } });
const chosen = GENERATORS.filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
if (chosen.length === 0) {
  usageError(USAGE, `There is no ${values.only}; there are ${GENERATORS.map(({ name }) => name).join(", ")}.`);
}

const dataDir = mkdtempSync(join(tmpdir(), "generators-"));
const settings = readSettings({ PORT: "0", API_KEY, DATA_DIR: dataDir });
const silent = { onRequest: () => {}, onLog: () => {} };
const service = await startService(settings, await synthesize(join(".build", "generators-cdk.out")), silent);
const results = new Map<string, string>();
try {
  mkdirSync(BUILD, { recursive: true });
  const document = join(BUILD, "openapi.json");
  writeFileSync(document, await (await fetch(`${service.baseUrl}/openapi.json`)).text());
  for (const generator of chosen) {
    const result = await resultOf(generator, document);
    process.stdout.write(`${generator.name}: ${result}\n`);
    results.set(generator.name, result);
  }
  updateTable(
    GENERATORS.map(({ name }) => name),
    results,
  );
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** @returns that it succeeded, what of it was skipped and why, or that it failed, for a reason that is printed */
async function resultOf({ name, steps, build }: Generator, document: string): Promise<string> {
  const folder = join(BUILD, name.replaceAll(/\W+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let done = "skipped";
  try {
    const compile = await build(document, folder);
    if (compile === undefined) {
      return "passes";
    }
    done = "generated only";
    const program = await compile();
    if (program === undefined) {
      return "compiles";
    }
    await runProgram(program, steps, folder);
    return `compiles; takes the steps ${steps.join(", ")}`;
  } catch (error) {
    if (error instanceof MissingTool) {
      return `${done}, because ${error.message}`;
    }
    process.exitCode = 1;
    process.stderr.write(`${name}: ${(error as Error).message}\n`);
    return "fails";
  }
}

/** @throws Error when the program does not take all steps, or when its client sends the key in a URL */
async function runProgram({ command, args }: Program, steps: readonly string[], folder: string): Promise<void> {
  const forwarder = await startForwarder(service.baseUrl);
  try {
    const phone = String(2_000_000_000 + Math.floor(Math.random() * 1e9));
    const printed = await run(command, [...args, phone], folder, { BASE_URL: forwarder.baseUrl, API_KEY });
    const missing = steps.filter((step) => !printed.trim().split(/\s+/).includes(step));
    if (missing.length > 0) {
      throw new Error(`these steps did not succeed: ${missing.join(", ")}`);
    }
    if (forwarder.urlsWith(API_KEY) > 0) {
      throw new Error("the client sends the key in the URL");
    }
  } finally {
    forwarder.stop();
  }
}
