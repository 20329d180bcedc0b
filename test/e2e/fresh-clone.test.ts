import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
  addEndpoint();
});
afterEach(async () => {
  if (running?.exitCode === null) {
    running.kill("SIGINT");
    await once(running, "exit");
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Turns the parts of the endpoint `get-thread` into those of a new one. */
const renamed = (text: string) =>
  text
    .replaceAll("get-thread", "peek-thread")
    .replaceAll("getThread", "peekThread")
    .replaceAll("GetThread", "PeekThread")
    .replace(/(\/threads\/(?:\{id\}|\$\{encodeURIComponent\(threadId\)\}))/, "$1/peek");

/** Adds an endpoint to the clone in the four files that CONTRIBUTING.md names. */
function addEndpoint(): void {
  const edit = (file: string, change: (text: string) => string) => {
    const before = readFileSync(join(clone, file), "utf8");
    const after = change(before);
    expect([file, after === before]).toEqual([file, false]);
    writeFileSync(join(clone, file), after);
  };
  const copy = (file: string) =>
    writeFileSync(join(clone, renamed(file)), renamed(readFileSync(join(clone, file), "utf8")));
  const repeat = (text: string, part: RegExp) => text.replace(part, (found) => found + renamed(found));

  edit("shared/threads/endpoints.ts", (text) =>
    [
      /export const getThreadEndpoint = [\s\S]*?satisfies Endpoint;\n/,
      /export const getThreadOperation = [\s\S]*?satisfies Operation;\n/,
      / {2}\{ endpoint: getThreadEndpoint.*\n/,
    ].reduce(repeat, text),
  );
  copy("shared/threads/get-thread.ts");
  copy("functions/get-thread.ts");
  edit("client/client.js", (text) =>
    [/.*typedef .*GetThreadResponse.*\n/, / {2}\/\*\*\n(?: {3}\*.*\n)+ {2}getThread\([\s\S]*?\n {2}\}\n\n/].reduce(
      repeat,
      text,
    ),
  );
}

const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: clone, encoding: "utf8" });

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

test("an endpoint in four files compiles, and its client method is typed", () => {
  node("client/generate-types.ts");
  node("node_modules/typescript/bin/tsc");
  expect(readFileSync(join(clone, "client/client.d.ts"), "utf8")).toMatch(
    /peekThread\(.*Promise<PeekThreadResponse>;/s,
  );
});

test("npm start serves both pages, a chat and the new endpoint in a fresh clone, the second time without a synthesis", async () => {
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
    const program = `
      import { HealthAssistantClient } from "./client/client.js";
      const client = new HealthAssistantClient({ baseUrl: "${origin}/v1", apiKey: "${KEY}" });
      const { threadId } = await client.createThread();
      const { paths } = await client.openapi();
      console.log((await client.peekThread(threadId)).success, Object.keys(paths["/threads/{id}/peek"]));
    `;
    expect(node("--input-type=module", "--eval", program)).toBe("true [ 'get' ]\n");
    expect(output.includes("Synthesizing")).toBe(start === "first");
    running?.kill("SIGINT");
    await once(running as ChildProcess, "exit");
  }
});
