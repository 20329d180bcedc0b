import { execFile } from "node:child_process";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname, "..", "..", "tools", "keys", "keys.ts");

/** Removes this machine's AWS configuration from the environment. */
const NO_AWS = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith("AWS_"))
    .map((name) => [name, undefined]),
);

export interface KeysRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the script of `npm run keys` with these arguments and environment variables. */
export function runKeys(args: string[], env: Record<string, string> = {}): Promise<KeysRun> {
  const noFiles = { AWS_CONFIG_FILE: "/dev/null", AWS_SHARED_CREDENTIALS_FILE: "/dev/null" };
  const options = { env: { ...process.env, ...NO_AWS, ...noFiles, AWS_EC2_METADATA_DISABLED: "true", ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
