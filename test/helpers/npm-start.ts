import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { withTestAssembly } from "./template/with-test-assembly.ts";

export type LocalProgram = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs what `npm start` runs, on a free port.
 *
 * @param env settings besides this process's environment
 * @param args of the command line
 * @param setUp code to run first in the process
 */
export function npmStart(env: NodeJS.ProcessEnv, { args = [] as string[], setUp = "" } = {}): LocalProgram {
  const program = join(import.meta.dirname, "..", "..", "local", "start.ts");
  return spawn(process.execPath, ["--import", withTestAssembly(setUp), program, ...args], {
    env: { ...process.env, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/**
 * Waits until the service is ready, or has ended.
 *
 * @returns what it has printed by then, and its base URL; undefined if it has ended
 */
export async function bannerOf({ stdout }: LocalProgram): Promise<{ output: string; baseUrl: string | undefined }> {
  let output = "";
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("Ctrl-C stops everything.")) {
      stdout.resume();
      break;
    }
  }
  return { output, baseUrl: /base URL +(\S+)/.exec(output)?.[1] };
}
