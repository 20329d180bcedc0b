import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** A tool that this machine does not have and that could not be downloaded; the message is one sentence. */
export class MissingTool extends Error {}

/** Downloads are kept here, outside of git. */
const CACHE = join(import.meta.dirname, "..", "..", ".build", "generators", "downloads");

export async function maven(args: string[], folder: string): Promise<void> {
  await run("mvn", ["--batch-mode", "--quiet", `-Dmaven.repo.local=${join(CACHE, "maven")}`, ...args], folder);
}

/** @returns the path of a jar from Maven's repository */
export async function mavenArtifact(group: string, artifact: string, version: string): Promise<string> {
  const jar = join(CACHE, `${artifact}-${version}.jar`);
  if (!existsSync(jar)) {
    mkdirSync(CACHE, { recursive: true });
    const coordinates = `-Dartifact=${group}:${artifact}:${version}`;
    await maven(["dependency:copy", coordinates, `-DoutputDirectory=${CACHE}`], CACHE);
  }
  return jar;
}

/** @returns a Python, in an environment of its own, that has the packages of the requirements file */
export async function pythonWith(requirements: string, folder: string): Promise<string> {
  const environment = join(folder, "environment");
  const python = join(environment, "bin", "python");
  await run("python3", ["-m", "venv", environment], folder);
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
  await run(python, [...install, "--cache-dir", join(CACHE, "pip")], folder);
  return python;
}

/** @returns what a command of npm packages, each with its version, printed */
export async function npx(packages: string[], command: string[], folder: string): Promise<string> {
  const args = ["--yes", ...packages.flatMap((name) => ["--package", name]), "--", ...command];
  return run("npx", args, folder, { npm_config_cache: join(CACHE, "npm"), npm_config_update_notifier: "false" });
}

/**
 * Runs a command.
 *
 * @returns its standard output
 * @throws MissingTool when there is no such command, Error with all that it printed when it failed
 */
export async function run(
  command: string,
  args: string[],
  folder: string,
  env: Record<string, string> = {},
): Promise<string> {
  try {
    const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { code, stdout, stderr, message } = error as Error & { code?: string; stdout?: string; stderr?: string };
    if (code === "ENOENT") {
      throw new MissingTool(`${command} is not installed`);
    }
    const printed = `${stdout ?? ""}${stderr ?? ""}`.trim();
    throw /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|Unknown host|Name or service not known/.test(printed)
      ? new MissingTool(`${command} cannot download what it needs`)
      : new Error(printed || message);
  }
}
