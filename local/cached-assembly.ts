import { fork } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { SetupError } from "../packages/lambda-local/setup-error.ts";
import { hashInputs } from "./inputs.ts";

const ROOT = join(import.meta.dirname, "..");
const CACHE = join(ROOT, ".build", "assemblies");

/** Assemblies unused for this long are deleted, except the newest. */
const UNUSED_MILLISECONDS = 24 * 60 * 60 * 1000;
const KEPT = 3;

/** How often inputs may change while they are read before the reader gives up. */
const ATTEMPTS = 3;

/**
 * Returns the synthesized template with its bundles: that of an earlier call if none of its inputs has changed since,
 * otherwise a new one, synthesized without the template checks.
 *
 * Each assembly has its own folder, named after its inputs, which appears complete and never changes. So processes that
 * start at the same time do not interfere with each other.
 *
 * @param context values as `-c name=value` gives them
 * @param onStep called with each step of synthesizing a new one, in words
 * @returns the folder's absolute path
 * @throws SetupError if the inputs keep changing; Error with the output of the CDK app if it fails
 */
export async function cachedAssembly(
  context: Record<string, string> = {},
  onStep: (step: string) => void = () => {},
): Promise<string> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const hash = hashInputs(ROOT, context);
    const folder = join(CACHE, hash);
    if (!existsSync(folder)) {
      onStep("Synthesizing the template, because there is none for these files yet …");
      mkdirSync(CACHE, { recursive: true });
      const scratch = mkdtempSync(join(CACHE, ".new-"));
      try {
        await runApp(scratch, context, onStep);
        if (hashInputs(ROOT, context) !== hash) {
          continue; // the result matches neither the old files nor the new ones
        }
        publish(join(scratch, "cdk.out"), folder);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    }
    keepAssembly(folder);
    deleteUnused(folder);
    return folder;
  }
  throw new SetupError("The project's files keep changing; start again when they no longer do.");
}

/** Marks an assembly as used now. */
export function keepAssembly(folder: string): void {
  const now = new Date();
  utimesSync(folder, now, now);
}

/** Runs the CDK app as the CDK command does, which itself takes longer to load than the app. It reports its steps. */
async function runApp(scratch: string, context: Record<string, string>, onStep: (step: string) => void): Promise<void> {
  const cdkJson = JSON.parse(readFileSync(join(ROOT, "cdk.json"), "utf8"));
  const values = {
    ...cdkJson.context,
    "health-assistant:unchecked": true,
    "aws:cdk:enable-asset-metadata": true,
    "aws:cdk:enable-path-metadata": true,
    ...context,
  };
  const env = {
    ...process.env,
    BUNDLES_FOLDER: join(scratch, "bundles"),
    CDK_OUTDIR: join(scratch, "cdk.out"),
    CDK_CONTEXT_JSON: JSON.stringify(values),
    CDK_VALIDATION: "false", // the CDK's own rules; the flag in `cdk.json` only makes their findings errors
  };
  const stdio = ["ignore", "ignore", "pipe", "ipc"] as const;
  const app = fork("infra/app.ts", { cwd: ROOT, env, execArgv: [], stdio: [...stdio] });
  app.on("message", (step) => onStep(String(step)));
  const [errors, [code]] = await Promise.all([text(app.stderr as Readable), once(app, "close")]);
  if (code !== 0) {
    throw new Error(`The template could not be synthesized: ${errors || `exit code ${code}`}`);
  }
}

/** Gives a finished assembly its name, unless another process was faster. */
function publish(made: string, folder: string): void {
  try {
    renameSync(made, folder);
  } catch (error) {
    if (!existsSync(folder)) {
      throw error;
    }
  }
}

function deleteUnused(current: string): void {
  const usedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const others = readdirSync(CACHE)
    .map((name) => join(CACHE, name))
    .filter((path) => path !== current)
    .sort((a, b) => usedAt(b) - usedAt(a));
  for (const path of others.slice(KEPT - 1)) {
    if (usedAt(path) < Date.now() - UNUSED_MILLISECONDS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
