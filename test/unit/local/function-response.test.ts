import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFunctionResponse } from "../../../local/function-response.ts";
import { LocalFunction } from "../../../local/lambda-function.ts";

/** A function that streams a response and fails in the middle of it. */
const SOURCE = `
  export const handler = awslambda.streamifyResponse(async (_, stream) => {
    const response = awslambda.HttpResponseStream.from(stream, { statusCode: 200 });
    response.write("event: delta\\n\\n");
    throw new Error("in the middle");
  });
`;

let folder: string;
let fn: LocalFunction;
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
  fn = new LocalFunction(template, { PATH: String(process.env.PATH) }, () => {});
});
afterAll(() => {
  fn.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a stream whose function fails in the middle breaks instead of ending like a complete one", async () => {
  const response = await readFunctionResponse(await fn.invoke({}), true);
  await expect(text(response?.body as AsyncIterable<Buffer>)).rejects.toThrow(
    "the function failed in the middle of its response",
  );
});
