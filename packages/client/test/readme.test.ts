import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { HealthAssistantClient } from "../client.js";

const CLIENT = join(import.meta.dirname, "..");
const readme = readFileSync(join(CLIENT, "README.md"), "utf8");
const section = (heading: string) => readme.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
/** The names in backticks in the first column of a section's table. */
const named = (heading: string) =>
  (section(heading).match(/^\| `[^|]*/gm) ?? []).flatMap((cell) => cell.match(/(?<=`)\w+(?=`)/g) ?? []);

test("the client's README has a row for every method, and for no other", () => {
  const methods = Object.getOwnPropertyNames(HealthAssistantClient.prototype).filter((name) => name !== "constructor");
  expect(methods.length).toBeGreaterThan(20);
  expect(named("Methods").sort()).toEqual(methods.sort());
});

test("the client's README has a row for every option that is not required", () => {
  const source = ["client.js", "request.js"].map((file) => readFileSync(join(CLIENT, file), "utf8")).join("\n");
  const types = source.match(/@typedef \{object\} (Client|Call)Options[\s\S]*?\*\//g) ?? [];
  const optional = types.flatMap((type) => [...type.matchAll(/@property \{.*?\} \[(\w+)\]/g)].map(([, name]) => name));
  const further = [...source.matchAll(/@typedef \{[^}]*?\{([^}]*)\}/g)].flatMap(
    ([, fields]) => fields?.match(/\w+(?=\?:)/g) ?? [],
  );
  expect([optional.length, further.length].every((count) => count > 2)).toBe(true);
  expect(named("Options")).toEqual(expect.arrayContaining([...new Set([...optional, ...further])]));
});
