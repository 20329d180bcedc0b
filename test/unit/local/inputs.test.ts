import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { hashInputs } from "../../../local/inputs.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "inputs-"));
  for (const path of [...INPUTS, ...OTHERS]) {
    write(path, "before");
  }
  write(STAGE, "{}");
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const STAGE = "infra/stages/dev.json";

const INPUTS = [
  "package.json",
  "package-lock.json",
  "node_modules/.package-lock.json",
  "cdk.json",
  "functions/chat.ts",
  "packages/safety/data/weights.bin",
  "web/docs/guides/errors.md",
  "packages/client/client.js",
  "shared/live-check/rules/chat.ts",
  "a-new-folder/file.ts",
];

const OTHERS = [
  "docs/operations.md",
  "test/file.test.ts",
  "packages/safety/training/corpus/labeled/set.jsonl",
  ".build/file",
];

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const hash = (context: Record<string, string> = {}) => hashInputs(root, context);

/** Asserts whether an action changes the hash. */
function expectChange(changes: boolean, act: () => void): void {
  const before = hash();
  act();
  expect(hash() !== before).toBe(changes);
}

describe("the hash over the inputs of a template changes", () => {
  test.each(INPUTS)("with the content of %s, even if the length is the same, and when it is deleted", (path) => {
    expectChange(true, () => write(path, "beforf"));
    expectChange(true, () => rmSync(join(root, path)));
  });

  test("when text moves from one file to the next", () => {
    write("shared/a.ts", "one");
    write("shared/b.ts", "two");
    expectChange(true, () => {
      write("shared/a.ts", "onet");
      write("shared/b.ts", "wo");
    });
  });

  test("with the context", () => {
    expect(hash({ corsOrigin: "*" })).not.toBe(hash());
    expect(hash({ corsOrigin: "*", basePath: "v1" })).toBe(hash({ basePath: "v1", corsOrigin: "*" }));
  });

  test("with a file of fixed texts that a stage names, wherever it is", () => {
    const texts = join(root, ".elsewhere", "texts.json");
    write(".elsewhere/texts.json", "before");
    expectChange(true, () => write(STAGE, JSON.stringify({ safetyTexts: texts })));
    expectChange(true, () => write(".elsewhere/texts.json", "after"));
  });
});

describe("the hash over the inputs of a template stays the same", () => {
  test("when nothing changes, and when a file is written again", () => {
    expectChange(false, () => {});
    expectChange(false, () => write("functions/chat.ts", "before"));
  });

  test.each(OTHERS)("with the content of %s, which is not part of the template", (path) => {
    expectChange(false, () => write(path, "after"));
  });
});
