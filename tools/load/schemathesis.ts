import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const VERSION = "4.32.5";
const FOLDER = join(import.meta.dirname, "..", "..", ".build", `schemathesis-${VERSION}`);

const run = promisify(execFile);

/** A program, or why there is none here. */
export type Installed = { program: string } | { missing: string };

/** Installs Schemathesis once, from PyPI, into a virtual environment under `.build`. */
export async function installSchemathesis(): Promise<Installed> {
  const program = join(FOLDER, "bin", "schemathesis");
  if (existsSync(program)) {
    return { program };
  }
  try {
    await run("python3", ["-m", "venv", "--clear", FOLDER], { timeout: 120_000 });
  } catch {
    return { missing: "Python 3.10 or newer with its venv module is not installed" };
  }
  try {
    const options = ["--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1"];
    const args = ["-m", "pip", "install", ...options, `schemathesis==${VERSION}`];
    await run(join(FOLDER, "bin", "python"), args, { timeout: 240_000 });
    return { program };
  } catch {
    rmSync(FOLDER, { recursive: true, force: true }); // half an installation would be taken for a whole one
    return { missing: `schemathesis ${VERSION} cannot be installed from the Python package registry` };
  }
}
