import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../../../test/helpers/eventually.ts";
import { LocalFunction } from "../lambda-function.ts";
import type { FunctionTemplate } from "../template.ts";

/** A function that records the names it is invoked with and responds once a file of that name exists. */
const SOURCE = `
  import { appendFileSync, existsSync } from "node:fs";
  import { join } from "node:path";
  import { setTimeout } from "node:timers/promises";
  export const handler = async ({ name }) => {
    appendFileSync(join(import.meta.dirname, "invoked"), name + "\\n");
    while (!existsSync(join(import.meta.dirname, "release-" + name))) {
      await setTimeout(20);
    }
    return { name };
  };
`;

let folder: string;
let fn: LocalFunction;
let start: (change?: Partial<FunctionTemplate>) => LocalFunction;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "function-"));
  writeFileSync(join(folder, "index.mjs"), SOURCE);
  writeFileSync(join(folder, "invoked"), "");
  const template = {
    name: "waiting",
    codePath: folder,
    handler: "index.handler",
    timeoutSeconds: 60,
    memoryMegabytes: 128,
    logFormat: "JSON",
    environment: {},
  };
  start = (change) => new LocalFunction({ ...template, ...change }, { PATH: String(process.env.PATH) }, () => {});
  fn = start();
});
afterAll(() => {
  fn.stop();
  rmSync(folder, { recursive: true, force: true });
});

const release = (name: string) => writeFileSync(join(folder, `release-${name}`), "");
const invoked = () => readFileSync(join(folder, "invoked"), "utf8").split("\n").filter(Boolean).sort();
const invoke = async (name: string, signal?: AbortSignal) => json(await fn.invoke({ name }, signal));

test("an invocation whose caller gives up while it waits for an environment never runs", async () => {
  const hung = ["a", "b", "c", "d"].map((name) => invoke(name));
  await eventually(invoked, (names) => names.length === 4);
  await expect(invoke("given-up", AbortSignal.timeout(200))).rejects.toMatchObject({ name: "TimeoutError" });
  const waiting = invoke("e");
  for (const name of ["a", "e"]) {
    release(name);
  }
  expect(await waiting).toEqual({ name: "e" });
  expect(invoked()).toEqual(["a", "b", "c", "d", "e"]);

  // An invocation whose caller gives up while it runs keeps its environment until it ends, then returns it.
  await expect(invoke("f", AbortSignal.timeout(200))).rejects.toMatchObject({ name: "TimeoutError" });
  for (const name of ["b", "c", "d", "f", "g"]) {
    release(name);
  }
  expect(await Promise.all(hung)).toEqual(["a", "b", "c", "d"].map((name) => ({ name })));
  expect(await invoke("g")).toEqual({ name: "g" });
  expect(invoked()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
});

test("an invocation that begins just before the function is stopped fails at once", async () => {
  const stopped = start();
  const invocation = stopped.invoke({ name: "too-late" });
  stopped.stop();
  await expect(invocation).rejects.toThrow("stopping");
});
