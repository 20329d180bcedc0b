import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "..", "..");
const KEY = "key-of-the-test-client";

const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
const clone = join(folder, "clone");
let running: ChildProcess | undefined;

beforeAll(() => {
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"], { cwd: ROOT });
  for (const file of files.toString().split("\0").filter(Boolean)) {
    cpSync(join(ROOT, file), join(clone, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
});
afterEach(async () => {
  if (running?.exitCode === null) {
    running.kill("SIGINT");
    await once(running, "exit");
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the README's command and waits until it prints the service's URL. */
async function npmStart(): Promise<{ origin: string; output: string }> {
  const env = { ...process.env, PORT: "0", DATA_DIR: join(folder, "data"), API_KEY: KEY };
  running = spawn("npm", ["start"], { cwd: clone, env, stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  running.stderr?.on("data", (data) => {
    errors += data;
  });
  let output = "";
  for await (const chunk of running.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += chunk;
    const origin = /base URL +(http:\/\/[^/]+)/.exec(output)?.[1];
    if (origin) {
      running.stdout?.resume();
      return { origin, output };
    }
  }
  throw new Error(`npm start has ended: ${output}${errors}`);
}

test("npm start serves both pages and a chat in a fresh clone, the second time without a synthesis", async () => {
  for (const start of ["first", "second"]) {
    const { origin, output } = await npmStart();
    const page = async (path: string) => [start, path, (await fetch(`${origin}${path}`)).status];
    expect(await page("/")).toEqual([start, "/", 200]);
    expect(await page("/v1/docs")).toEqual([start, "/v1/docs", 200]);
    const chat = await fetch(`${origin}/v1/chat`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({ message: "Hello" }),
    });
    expect([start, chat.status]).toEqual([start, 200]);
    expect(output.includes("Synthesizing")).toBe(start === "first");
    running?.kill("SIGINT");
    await once(running as ChildProcess, "exit");
  }
});
