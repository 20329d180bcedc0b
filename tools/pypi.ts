import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const BUILD = join(import.meta.dirname, "..", ".build");

const run = promisify(execFile);

/** A program, or why there is none here. */
export type Installed = { program: string } | { missing: string };

/**
 * Installs a Python package once, from PyPI, into a virtual environment under `.build`.
 *
 * @param requirement with its version, such as `moto[server]==5.2.5`
 * @param program the command of the package to return
 */
export async function installFromPyPi(requirement: string, program: string): Promise<Installed> {
  const folder = join(BUILD, requirement.replaceAll(/[^\w.]+/g, "-"));
  const path = join(folder, "bin", program);
  if (existsSync(path)) {
    return { program: path };
  }
  try {
    await run("python3", ["-m", "venv", "--clear", folder], { timeout: 120_000 });
  } catch {
    return { missing: "Python 3.10 or newer with its venv module is not installed" };
  }
  try {
    const options = ["--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1"];
    await run(join(folder, "bin", "python"), ["-m", "pip", "install", ...options, requirement], { timeout: 240_000 });
    return { program: path };
  } catch {
    rmSync(folder, { recursive: true, force: true }); // half an installation would be taken for a whole one
    return { missing: `${requirement} cannot be installed from the Python package registry` };
  }
}
