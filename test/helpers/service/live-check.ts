import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type PassingAnswer, startAlteringProxy } from "./altering-proxy.ts";

/** Runs the same command as `npm run check:live`. */
export async function check(args: string[], env: Record<string, string> = {}) {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, ["tools/live-check/check.ts", ...args], { env: { PATH, ...env } });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { output, errors, code };
}

/** Starts a proxy that alters nothing and records each request with its status, such as `POST /threads 201`. */
export async function startWatching(target: string) {
  const seen: string[] = [];
  const fits = (request: string, { status }: PassingAnswer) => {
    seen.push(`${request} ${status}`);
    return false;
  };
  const proxy = await startAlteringProxy(target, { fits, alter: (answer) => answer });
  return { ...proxy, count: (pattern: RegExp) => seen.filter((line) => pattern.test(line)).length };
}
