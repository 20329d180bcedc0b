import { execFile } from "node:child_process";
import { join } from "node:path";
import { API_KEY } from "./api-key.ts";

/**
 * Runs a program of `tools/` with the key of the test client.
 *
 * @param answer is typed when it asks
 */
export function runTool(file: string, args: string[], answer = ""): Promise<{ code: unknown; output: string }> {
  const program = join(import.meta.dirname, "../../../tools", file);
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { ...process.env, API_KEY } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
    child.stdin?.end(answer);
  });
}
