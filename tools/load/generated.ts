import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installFromPyPi } from "../pypi.ts";
import type { ServiceProcess } from "./service-process.ts";

/** Where Schemathesis leaves its report and its own files. */
const FOLDER = join(import.meta.dirname, "..", "..", ".build", "load");
const REPORT = join(FOLDER, "report.json");

/**
 * Sends a service what its OpenAPI document allows and forbids, checks every response, and prints the findings.
 *
 * @param seed the same seed generates the same requests, as far as responses are the same
 * @returns whether there were no failures, which is also so where Schemathesis cannot be installed
 */
export async function sendGenerated(service: ServiceProcess, seconds: number, seed: number): Promise<boolean> {
  const installed = await installFromPyPi("schemathesis==4.32.5", "schemathesis");
  if ("missing" in installed) {
    process.stdout.write(`Generated requests skipped: ${installed.missing}.\n`);
    return true;
  }
  mkdirSync(FOLDER, { recursive: true });
  rmSync(REPORT, { force: true });
  const args = [
    ["--config-file", join(import.meta.dirname, "schemathesis.toml"), "run", `${service.baseUrl}/openapi.json`],
    ["--header", `X-API-Key: ${service.apiKey}`],
    // An undeclared method is a 404, and not a 405, because API Gateway does not tell the two apart.
    ["--checks", "all", "--exclude-checks", "unsupported_method"],
    ["--seed", String(seed), "--max-time", String(seconds), "--generation-database", "none"],
    ["--request-timeout", "40", "--warnings", "off", "--no-color"],
    ["--report", "json", "--report-json-path", REPORT],
  ].flat();
  const env = { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, "hooks.py") };
  const child = spawn(installed.program, args, { cwd: FOLDER, env, stdio: ["ignore", "inherit", "inherit"] });
  // Shrinking may go on after the time; a run that hangs is ended.
  const timer = setTimeout(() => child.kill("SIGKILL"), (2 * seconds + 60) * 1000);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  const { generated, with_failures: failed, errored } = JSON.parse(readFileSync(REPORT, "utf8")).test_cases;
  process.stdout.write(`\nGenerated requests: ${generated} cases, ${failed + errored} failures, seed ${seed}.\n`);
  return code === 0 && failed + errored === 0;
}
