/** `npm run fuzz`: sends the service what its OpenAPI document allows and forbids, and checks every response. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServiceProcess } from "../soak/service-process.ts";
import { installSchemathesis } from "./schemathesis.ts";

const USAGE = `Fuzzes the local service from its OpenAPI document, with Schemathesis (Python, installed from PyPI on first use).

  npm run fuzz -- --seconds 300 --seed 1

  --seconds N   how long to send requests, at least 10: 300
  --seed N      the same seed generates the same requests, as far as responses are the same: 1
  --keep-going  tests an operation further after its first failure

The service is started on a free port with an empty database and the offline model, and stopped at the end. All checks
are made but one: an undeclared method is a 404, and not a 405, because API Gateway does not tell the two apart. A body
of more than 256 KB (413) and a reused Idempotency-Key (422) may be rejected although the schema allows them.
Where Python or the registry is missing, one line says so.
Exit code: 0 without failures, or when skipped; 1 with failures; 2 when the command line or the service is wrong.
`;

/** Where Schemathesis leaves its report and its own files. */
const FOLDER = join(import.meta.dirname, "..", "..", ".build", "fuzz");
const REPORT = join(FOLDER, "report.json");

interface Options {
  seconds: number;
  seed: number;
  keepGoing: boolean;
  help: boolean;
}

/** @throws Error with a sentence for the caller */
function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "300" },
      seed: { type: "string", default: "1" },
      "keep-going": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { seconds, seed, "keep-going": keepGoing, help } = values;
  if (!/^\d{2,5}$/.test(seconds) || !/^\d{1,9}$/.test(seed)) {
    throw new Error("--seconds must be a whole number from 10 to 99999, and --seed one of at most 9 digits.");
  }
  return { seconds: Number(seconds), seed: Number(seed), keepGoing, help };
}

async function main(): Promise<number> {
  let options: Options;
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
  const installed = await installSchemathesis();
  if ("missing" in installed) {
    process.stdout.write(`Fuzzing skipped: ${installed.missing}.\n`);
    return 0;
  }
  const service = await startServiceProcess();
  try {
    return await fuzz(installed.program, service, options);
  } finally {
    await service.stop();
  }
}

async function fuzz(
  program: string,
  { baseUrl, apiKey, running }: { baseUrl: string; apiKey: string; running: () => boolean },
  { seconds, seed, keepGoing }: Options,
): Promise<number> {
  mkdirSync(FOLDER, { recursive: true });
  rmSync(REPORT, { force: true });
  const args = [
    ["--config-file", join(import.meta.dirname, "schemathesis.toml"), "run", `${baseUrl}/openapi.json`],
    ["--header", `X-API-Key: ${apiKey}`],
    ["--checks", "all", "--exclude-checks", "unsupported_method"],
    ["--seed", String(seed), "--max-time", String(seconds), "--generation-database", "none"],
    ["--request-timeout", "40", "--warnings", "off", "--no-color"],
    ["--report", "json", "--report-json-path", REPORT],
    keepGoing ? ["--continue-on-failure"] : [],
  ].flat();
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, "hooks.py") };
  const child = spawn(program, args, { cwd: FOLDER, env, stdio: ["ignore", "inherit", "inherit"] });
  // Shrinking may go on after the time; a run that hangs is ended.
  const timer = setTimeout(() => child.kill("SIGKILL"), (2 * seconds + 60) * 1000);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  if (!running()) {
    process.stderr.write("The service ended while it was fuzzed.\n");
    return 1;
  }
  const counted = readReport();
  if (!counted) {
    process.stderr.write("Schemathesis ended without a report.\n");
    return 2;
  }
  process.stdout.write(`\nFuzzing: ${counted.cases} cases, ${counted.failures} failures, seed ${seed}.\n`);
  return code === 0 && counted.failures === 0 ? 0 : 1;
}

function readReport(): { cases: number; failures: number } | undefined {
  try {
    const { test_cases: cases } = JSON.parse(readFileSync(REPORT, "utf8"));
    return { cases: cases.generated, failures: cases.with_failures + cases.errored };
  } catch {
    return undefined;
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
