import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachedAssembly } from "../../../local/cached-assembly.ts";

/**
 * Runs once before all tests: they share one synthesized template, the one that `npm start` would serve, plus every
 * alarm, metric and graph and the firewall, and with higher limits for many requests at once.
 */
export default async function setup(): Promise<void> {
  // Tests start hundreds of Node processes, which load the same files.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../../.build/compile-cache");
  process.env.TEST_STAGE_ASSEMBLIES = mkdtempSync(join(tmpdir(), "stages-"));
  process.env.TEST_CLOUD_ASSEMBLY = await cachedAssembly({
    profile: "standard",
    alarms: "true",
    reserveConcurrency: "true",
    chatConcurrency: "400",
  });
}
