import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../../../test/helpers/eventually.ts";
import { readFunctionResponse } from "../function-response.ts";
import { LocalFunction } from "../lambda-function.ts";

/** A function that streams a response and fails in the middle of it. */
const SOURCE = `
  export const handler = awslambda.streamifyResponse(async (name, stream) => {
    console.log(name);
    const response = awslambda.HttpResponseStream.from(stream, { statusCode: 200 });
    response.write("event: delta\\n\\n");
    throw new Error("in the middle");
  });
`;

let folder: string;
let fn: LocalFunction;
const logs: string[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "function-"));
  writeFileSync(join(folder, "index.mjs"), SOURCE);
  const template = {
    name: "streaming",
    codePath: folder,
    handler: "index.handler",
    timeoutSeconds: 60,
    memoryMegabytes: 128,
    logFormat: "JSON",
    environment: {},
  };
  fn = new LocalFunction(template, { PATH: String(process.env.PATH) }, (line) => logs.push(line));
});
afterAll(() => {
  fn.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a stream whose function fails in the middle breaks instead of ending like a complete one", async () => {
  const response = await readFunctionResponse(await fn.invoke("first"), true);
  await expect(text(response?.body as AsyncIterable<Buffer>)).rejects.toThrow(
    "the function failed in the middle of its response",
  );
});

test("the function runs once for each invocation, also after it has failed in the middle", async () => {
  await text(await fn.invoke("second"));
  const runs = () => logs.flatMap((line) => /"message":"(\w+)"/.exec(line)?.[1] ?? []);
  expect(await eventually(runs, (names) => names.includes("second"))).toEqual(["first", "second"]);
});
