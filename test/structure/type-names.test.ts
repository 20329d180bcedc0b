import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "..", "..");

test("an exported type of shared/ has a name of its own, so that a name in an import means one thing", () => {
  const exported = globSync("shared/**/*.ts", { cwd: ROOT }).flatMap((file) => {
    const found = readFileSync(join(ROOT, file), "utf8").matchAll(/^export (?:interface|type|class) (\w+)/gm);
    return [...found].map(([, name]) => ({ name, file }));
  });
  expect(exported.length).toBeGreaterThan(100);
  const shared = [...Map.groupBy(exported, ({ name }) => name)].filter(([, declared]) => declared.length > 1);
  expect(shared).toEqual([]);
});
