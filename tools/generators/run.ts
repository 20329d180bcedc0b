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
import { MissingTool, run } from "./toolchain.ts";

const USAGE = `Generates clients from the OpenAPI document, compiles them and lets them talk to a local service; lints the document.

  npm run test:generators                     all generators and linters
  npm run test:generators -- --only NAME      those with NAME in their name, such as java or Spectral; may be repeated

Needs Java 17, Maven and Python 3.10, each only for what uses it, and a network for the first run; downloads are kept in
.build/generators. What this machine lacks is skipped. Exit code: 0 when nothing failed, 1 otherwise, 2 for wrong arguments.
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
try {
  mkdirSync(BUILD, { recursive: true });
  const document = join(BUILD, "openapi.json");
  writeFileSync(document, await (await fetch(`${service.baseUrl}/openapi.json`)).text());
  for (const generator of chosen) {
    process.stdout.write(`${generator.name}: ${await resultOf(generator, document)}\n`);
  }
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** @returns that it succeeded, was skipped, or failed, and why */
async function resultOf({ name, build }: Generator, document: string): Promise<string> {
  const folder = join(BUILD, name.replaceAll(/\W+/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const program = await build(document, folder);
    if (program === undefined) {
      return "passes";
    }
    const phone = String(2_000_000_000 + Math.floor(Math.random() * 1e9));
    const env = { BASE_URL: service.baseUrl, API_KEY };
    const steps = (await run(program.command, [...program.args, phone], folder, env)).trim().split(/\s+/);
    const missing = STEPS.filter((step) => !steps.includes(step));
    if (missing.length > 0) {
      throw new Error(`these steps did not succeed: ${missing.join(", ")}`);
    }
    return `compiles and takes all ${STEPS.length} steps`;
  } catch (error) {
    if (error instanceof MissingTool) {
      return `skipped, because ${error.message}`;
    }
    process.exitCode = 1;
    return `failed, because ${(error as Error).message}`;
  }
}
