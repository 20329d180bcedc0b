import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { claimEventually } from "../../../local/claim.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const BUILD = join(ROOT, ".build");

/**
 * Runs `cdk synth` as a deployment would, without network access. Waits while another process does the same in this
 * project.
 *
 * @param output folder for the cloud assembly, relative to the project or absolute
 * @param context values as `-c name=value` gives them
 * @returns the absolute path of that folder
 * @throws Error with the CDK's output if it fails
 */
export async function synthesize(output: string, context: Record<string, string> = {}): Promise<string> {
  const cdk = join(ROOT, "node_modules", "aws-cdk", "bin", "cdk");
  const values = Object.entries(context).flatMap(([name, value]) => ["--context", `${name}=${value}`]);
  const args = [cdk, "synth", "--quiet", "--output", output, ...values];
  const env = { ...process.env, CDK_DISABLE_VERSION_CHECK: "1", CDK_DISABLE_CLI_TELEMETRY: "true" };
  mkdirSync(BUILD, { recursive: true });
  const claimed = await claimEventually(BUILD);
  try {
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  } catch (error) {
    throw new Error(`The template could not be synthesized: ${(error as { stderr?: string }).stderr ?? error}`);
  } finally {
    claimed.release();
  }
  return resolve(ROOT, output);
}
