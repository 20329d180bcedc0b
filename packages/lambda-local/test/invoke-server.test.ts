import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type InvokeServer, startInvokeServer } from "../invoke-server.ts";
import { LocalFunction } from "../lambda-function.ts";

const SOURCE = `
  export const handler = async (event) => {
    if (event.fails) {
      throw new Error("as it was asked to");
    }
    return { doubled: event.number * 2 };
  };
`;

let folder: string;
let server: InvokeServer;
const functions: LocalFunction[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "invoke-"));
  writeFileSync(join(folder, "index.mjs"), SOURCE);
  const template = { codePath: folder, handler: "index.handler", timeoutSeconds: 60, memoryMegabytes: 128 };
  const start = (name: string, concurrency?: number) => {
    const more = { name, logFormat: "JSON" as const, environment: {}, reservedConcurrency: concurrency };
    const fn = new LocalFunction({ ...template, ...more }, { PATH: String(process.env.PATH) }, () => {});
    functions.push(fn);
    return [name, fn] as const;
  };
  server = await startInvokeServer(new Map([start("doubles"), start("is-stopped", 0)]));
});
afterAll(() => {
  server.stop();
  for (const fn of functions) {
    fn.stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function invoke(name: string, body: string) {
  const response = await fetch(`${server.endpoint}/2015-03-31/functions/${name}/invocations`, { method: "POST", body });
  const { status, headers } = response;
  return {
    status,
    type: headers.get("x-amzn-errortype"),
    failed: headers.get("x-amz-function-error"),
    text: await response.text(),
  };
}

test("a function is invoked by its name, and its result is the body", async () => {
  expect(await invoke("doubles", '{"number":21}')).toEqual({
    status: 200,
    type: null,
    failed: null,
    text: '{"doubled":42}',
  });
});

test("a function that fails is a 200 that says so", async () => {
  expect(await invoke("doubles", '{"fails":true}')).toMatchObject({ status: 200, failed: "Unhandled" });
});

test("a name that no function has is a 404", async () => {
  expect(await invoke("unknown", "{}")).toMatchObject({ status: 404, type: "ResourceNotFoundException" });
});

test("a payload that is not JSON is a 400", async () => {
  expect(await invoke("doubles", "{")).toMatchObject({ status: 400, type: "InvalidRequestContentException" });
});

test("one invocation more than a function's reserved concurrency is a 429", async () => {
  expect(await invoke("is-stopped", "{}")).toMatchObject({ status: 429, type: "TooManyRequestsException" });
});
