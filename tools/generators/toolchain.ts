import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Program } from "./generator.ts";

/** A tool that this machine does not have and that could not be downloaded; the message is one sentence. */
export class MissingTool extends Error {}

/** The programs that use the generated clients. */
export const PROGRAMS = join(import.meta.dirname, "programs");

/** The project's own tools. */
const BIN = join(import.meta.dirname, "..", "..", "node_modules", ".bin");

/** Downloads are kept here, outside of git. */
const CACHE = join(import.meta.dirname, "..", "..", ".build", "generators", "downloads");

const NPM = { npm_config_cache: join(CACHE, "npm"), npm_config_update_notifier: "false" };

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
  return run("npx", args, folder, NPM);
}

/** Installs a package of npm into a folder. */
export async function installNpm(name: string, folder: string): Promise<void> {
  await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", name], folder, NPM);
}

/** Type-checks a program strictly, as this project's own, and bundles it for Node. */
export async function compileTypeScript(folder: string, program: string): Promise<Program> {
  cpSync(join(PROGRAMS, program), join(folder, program));
  const strict = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];
  const types = ["--types", "node", "--typeRoots", join(BIN, "..", "@types"), "--ignoreConfig"];
  await run(join(BIN, "tsc"), [...strict, ...types, program], folder);
  const bundle = join(folder, "program.mjs");
  const options = ["--bundle", "--platform=node", `--outfile=${bundle}`, "--format=esm"];
  await run(join(BIN, "esbuild"), [program, ...options], folder);
  return { command: process.execPath, args: [bundle] };
}

/** Runs the command of Go, which may add what it needs to `go.mod`. */
export async function go(args: string[], folder: string): Promise<void> {
  const env = {
    GOMODCACHE: join(CACHE, "go-modules"),
    GOCACHE: join(CACHE, "go-build"),
    GOFLAGS: "-mod=mod -modcacherw",
  };
  await run("go", args, folder, env);
}

/** Builds a program in a folder that contains a module. */
export async function buildGo(program: string, folder: string): Promise<Program> {
  mkdirSync(join(folder, "program"));
  cpSync(join(PROGRAMS, program), join(folder, "program", "main.go"));
  await go(["build", "-o", "program.out", "./program"], folder);
  return { command: join(folder, "program.out"), args: [] };
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
