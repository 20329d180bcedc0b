import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { build } from "esbuild";
import { emptyFiles } from "../../../infra/bundling/plugins.ts";

const folder = mkdtempSync(join(tmpdir(), "left-out-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: the exports of a package
let bundled: any;

beforeAll(async () => {
  const packageFolder = join(folder, "node_modules");
  mkdirSync(packageFolder);
  const emptied = "export function rate() { return 1 }\nexport class Part { list() {} }\nexport default () => 2;";
  writeFileSync(join(packageFolder, "emptied.mjs"), emptied);
  writeFileSync(
    join(folder, "entry.mjs"),
    `import whole, { rate, Part } from "./node_modules/emptied.mjs";
     export { whole, rate, Part };
     export class Own extends Part { own() { return "own" } }`,
  );
  const outfile = join(folder, "bundle.cjs");
  await build({
    entryPoints: [join(folder, "entry.mjs")],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    plugins: [emptyFiles([/emptied\.mjs/])],
  });
  bundled = createRequire(import.meta.url)(outfile);
});

describe("an export left out of a bundle", () => {
  test("throws an error that names it when it is called", () => {
    expect(() => bundled.rate()).toThrow("rate is left out of this bundle (infra/bundling/bundle.ts)");
    expect(() => bundled.whole()).toThrow("default is left out of this bundle");
  });

  test("can be constructed and throws when it is used", () => {
    const part = new bundled.Part();
    expect(() => part.list()).toThrow("Part is left out of this bundle");
    expect(() => part.list).toThrow("Part is left out of this bundle");
  });

  test("can be extended by an export that is not left out", () => {
    const own = new bundled.Own();
    expect(own.own()).toBe("own");
    expect(() => own.list()).toThrow("Part is left out of this bundle");
  });
});
