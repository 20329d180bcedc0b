import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { cloneTo, RECIPE } from "../helpers/recipe.ts";
import { Template } from "../helpers/template/template.ts";

const KEY = "key-of-the-test-client";
const CORS_ORIGIN = "https://app.example.test";

const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
const clone = join(folder, "clone");
const assemblies = join(clone, ".build", "assemblies");
const running: ChildProcess[] = [];

beforeAll(() => {
  cloneTo(clone);
  for (const step of Object.values(RECIPE)) {
    step(clone);
  }
});
afterEach(async () => {
  for (const program of running.splice(0)) {
    if (program.exitCode === null) {
      process.kill(-(program.pid ?? 0), "SIGINT"); // all processes of the group, as Ctrl-C in a terminal
      await once(program, "exit");
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: clone, encoding: "utf8" });

interface Started {
  origin: string;
  /** Whether it said that it synthesizes the template. */
  synthesized: boolean;
}

/**
 * Runs the README's command, with a setting that is part of the template, and waits until it prints the service's URL.
 */
async function npmStart(data: string): Promise<Started> {
  const env = { ...process.env, PORT: "0", DATA_DIR: join(folder, data), API_KEY: KEY, CORS_ORIGIN };
  const program = spawn("npm", ["start"], { cwd: clone, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  running.push(program);
  let errors = "";
  program.stderr.on("data", (text) => {
    errors += text;
  });
  let output = "";
  for await (const chunk of program.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const origin = /base URL +(http:\/\/[^/]+)/.exec(output)?.[1];
    if (origin) {
      program.stdout.resume();
      return { origin, synthesized: output.includes("Synthesizing") };
    }
  }
  throw new Error(`npm start has ended: ${output}${errors}`);
}

/** Asserts that a service serves both pages, a chat, the new endpoint, and the origin that it was started with. */
async function expectServed({ origin }: Started): Promise<void> {
  const page = async (path: string) => [path, (await fetch(`${origin}${path}`)).status];
  expect(await page("/")).toEqual(["/", 200]);
  expect(await page("/v1/docs")).toEqual(["/v1/docs", 200]);
  const chat = await fetch(`${origin}/v1/chat`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json", origin: CORS_ORIGIN },
    body: JSON.stringify({ message: "Hello" }),
  });
  expect([chat.status, chat.headers.get("access-control-allow-origin")]).toEqual([200, CORS_ORIGIN]);
  const program = `
    import { HealthAssistantClient } from "./packages/client/client.js";
    const client = new HealthAssistantClient({ baseUrl: "${origin}/v1", apiKey: "${KEY}" });
    const { threadId } = await client.createThread();
    const { paths } = await client.openapi();
    console.log((await client.peekThread(threadId)).success, Object.keys(paths["/threads/{id}/peek"]));
  `;
  expect(node("--input-type=module", "--eval", program)).toBe("true [ 'get' ]\n");
}

/** The ids of a template's functions, tables and routes, except those of CORS and of the new endpoint. */
function idsIn(assembly: string): string[] {
  return Object.entries(new Template(assembly).resources)
    .filter(([, { Type }]) => /Lambda::Function|ApiGateway::(Method|Resource)|DynamoDB::Table/.test(Type))
    .filter(([id, { Properties }]) => Properties?.HttpMethod !== "OPTIONS" && !/peek/i.test(id))
    .map(([id, { Type }]) => `${Type} ${id}`)
    .sort();
}

test("an endpoint that is added by the recipe compiles, and its client method is typed", () => {
  node("node_modules/typescript/bin/tsc");
  expect(readFileSync(join(clone, "packages/client/client.d.ts"), "utf8")).toMatch(
    /peekThread\(.*Promise<PeekThreadResult>;/s,
  );
});

describe("npm start in a fresh clone", () => {
  test("synthesizes one complete template, even if it runs twice at once, and both serve it", async () => {
    const both = await Promise.all([npmStart("one"), npmStart("other")]);
    expect(both.map(({ synthesized }) => synthesized)).toContain(true);
    await Promise.all(both.map(expectServed));
    const [assembly = "", ...more] = readdirSync(assemblies);
    expect(more).toEqual([]);
    for (const { codePath } of readTemplate(join(assemblies, assembly)).functions.values()) {
      expect(readFileSync(join(codePath, "index.mjs")).length).toBeGreaterThan(1_000);
    }
  });

  test("uses that template the next time", async () => {
    const again = await npmStart("one");
    expect(again.synthesized).toBe(false);
    await expectServed(again);
  });

  test("serves the same resources as the CDK command creates, plus the new endpoint", () => {
    const [assembly = ""] = readdirSync(assemblies);
    expect(idsIn(join(assemblies, assembly))).toEqual(idsIn(process.env.TEST_CLOUD_ASSEMBLY ?? ""));
  });
});
