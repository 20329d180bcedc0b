import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** A tool that this machine does not have and that could not be downloaded; the message is one sentence. */
export class MissingTool extends Error {}

export type Toolchain = ReturnType<typeof toolchain>;

/**
 * Other people's tools. What they download is kept in one folder, outside of git.
 *
 * @param cache the folder for downloads
 */
export function toolchain(cache: string) {
  mkdirSync(cache, { recursive: true });
  const maven = async (args: string[], folder: string) => {
    await run("mvn", ["--batch-mode", "--quiet", `-Dmaven.repo.local=${join(cache, "maven")}`, ...args], folder);
  };
  return {
    maven,
    /** @returns the path of a jar from Maven's repository */
    async mavenArtifact(group: string, artifact: string, version: string): Promise<string> {
      const jar = join(cache, `${artifact}-${version}.jar`);
      if (!existsSync(jar)) {
        const coordinates = `-Dartifact=${group}:${artifact}:${version}`;
        await maven(["dependency:copy", coordinates, `-DoutputDirectory=${cache}`], cache);
      }
      return jar;
    },
    /** @returns a Python, in an environment of its own, that has the packages of the requirements file */
    async python(folder: string, requirements: string): Promise<string> {
      const environment = join(folder, "environment");
      const python = join(environment, "bin", "python");
      await run("python3", ["-m", "venv", environment], folder);
      const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
      await run(python, [...install, "--cache-dir", join(cache, "pip")], folder);
      return python;
    },
    /** @returns what a command of npm packages, each with its version, printed */
    npx: async (packages: string[], command: string[], folder: string): Promise<string> => {
      const args = ["--yes", ...packages.flatMap((name) => ["--package", name]), "--", ...command];
      return run("npx", args, folder, { npm_config_cache: join(cache, "npm"), npm_config_update_notifier: "false" });
    },
  };
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
