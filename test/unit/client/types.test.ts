import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { bodyTypes, declarations } from "../../../tools/client/generate-types.ts";

const FOLDER = join(import.meta.dirname, "../../../packages/client");

const committed = (name: string) => readFileSync(join(FOLDER, name), "utf8");

describe("the committed types are what `npm run client:types` generates", () => {
  test("from the OpenAPI document, for bodies", async () => {
    expect(await bodyTypes()).toBe(committed("schemas.d.ts"));
  });

  test("from the client's modules, for the client", () => {
    const made = declarations();
    for (const [name, text] of Object.entries(made)) {
      expect(text).toBe(committed(name));
    }
    const modules = readdirSync(FOLDER).filter((name) => name.endsWith(".js"));
    expect(Object.keys(made).sort()).toEqual(modules.map((name) => name.replace(".js", ".d.ts")).sort());
  });
});

test("the client needs no build step, because its modules import only each other", () => {
  const modules = readdirSync(FOLDER).filter((name) => name.endsWith(".js"));
  const imported = modules.flatMap((name) => [...committed(name).matchAll(/^(?:import|export) .*from "(.*)";$/gm)]);
  expect(imported.length).toBeGreaterThan(0);
  for (const [, specifier = ""] of imported) {
    expect(modules).toContain(specifier.replace("./", ""));
  }
});
