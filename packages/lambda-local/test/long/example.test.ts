import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "@jest/globals";

const PACKAGE = join(import.meta.dirname, "../..");
const PROGRAM = join(PACKAGE, "example", "run.ts");

/** Below the project, where the function finds the AWS SDK, which Lambda's own runtime contains. */
const BUILD = join(PACKAGE, "../../.build");
mkdirSync(BUILD, { recursive: true });
const folder = mkdtempSync(join(BUILD, "lambda-local-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the example, posts to a path, and stops it. @returns the responses' bodies */
async function visits(...names: string[]): Promise<unknown[]> {
  const example = spawn(process.execPath, [PROGRAM, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(example, "exit");
  const [baseUrl] = await once(createInterface({ input: example.stdout }), "line");
  const bodies: unknown[] = [];
  for (const name of names) {
    bodies.push(await (await fetch(`${baseUrl}/visits/${name}`, { method: "POST" })).json());
  }
  example.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  return bodies;
}

test("the example runs its function and table behind the gateway, and its data outlives it", async () => {
  expect(await visits("ada", "ada", "grace%20h")).toEqual([
    { name: "ada", visits: 1 },
    { name: "ada", visits: 2 },
    { name: "grace h", visits: 1 },
  ]);
  expect(await visits("ada")).toEqual([{ name: "ada", visits: 3 }]);
});

test("the README shows the example as it is", () => {
  const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
  const [, end = ""] = readFileSync(PROGRAM, "utf8").split("\n\n").slice(-2);
  expect(readme).toContain(end.replaceAll('"../', '"lambda-local/').trim());
});
