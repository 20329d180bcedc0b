import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";

/** The repository. */
export const ROOT = join(import.meta.dirname, "..", "..");
const CDK = join(ROOT, "node_modules", "aws-cdk", "bin", "cdk");

/** What is deployed, and how. */
export interface Deployment {
  /** The synthesized templates. */
  assembly: string;
  /** For `cdk deploy`. */
  args: string[];
  /** The logical IDs of what may be lost. */
  allowed: string[];
}

/** Unique, so that of two people who deploy at the same time, neither executes what the other has prepared. */
export const newChangeSet = () => `deploy-${randomUUID()}`;

/** The arguments of a `cdk deploy` of one stack, as it was synthesized. */
export function deployOf(stack: string, { assembly, args }: Deployment, changeSet = newChangeSet()): string[] {
  return ["deploy", stack, "--exclusively", "--strict", "--app", assembly, ...args, "--change-set-name", changeSet];
}

/** Runs the CDK's command, and returns its exit code. */
export async function cdk(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, [CDK, ...args], { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code ?? 1;
}
