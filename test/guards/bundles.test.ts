import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { build, type Plugin } from "esbuild";
import { emptyFiles, replacePackages } from "../../infra/bundling/plugins.ts";
import { readTemplate } from "../../local/template.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const KB = 1024;

/** At most so many KB, and for functions that are not named here, `OTHERS`. */
const SIZES: Record<string, number> = {
  Chat: 375,
  CreateThread: 375,
  CreatePatient: 230, // carries the schema library
};
const OTHERS = 200;

const functions = [...readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "").functions.values()].map((fn) => {
  const name = Object.keys(SIZES).find((candidate) => fn.name.startsWith(`Api${candidate}`));
  return { id: fn.name, file: join(fn.codePath, "index.mjs"), most: name ? SIZES[name] : OTHERS };
});

describe("the bundle of", () => {
  test.each(functions)("$id is at most $most KB", ({ file, most = 0 }) => {
    expect(statSync(file).size).toBeLessThanOrEqual(most * KB);
  });

  test("every named function was found", () => {
    expect(functions.filter(({ most }) => most !== OTHERS)).toHaveLength(Object.keys(SIZES).length);
  });
});

describe("what the bundles leave out", () => {
  const bundle = async (code: string, plugin: Plugin): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: ROOT },
      bundle: true,
      write: false,
      format: "esm",
      logLevel: "silent",
      plugins: [plugin],
    });
    return outputFiles[0]?.text ?? "";
  };

  test("a package that is imported is replaced", async () => {
    const code = await bundle(
      'import { encodeTime } from "ulid"; console.log(encodeTime);',
      replacePackages({ ulid: 'export const encodeTime = "the replacement";' }, ROOT),
    );
    expect(code).toContain("the replacement");
  });

  test("a package that is imported no longer fails the build", async () => {
    const plugin = replacePackages({ ulid: "", "no-such-package": "" }, ROOT);
    await expect(bundle('import "ulid";', plugin)).rejects.toThrow("leaves out: no-such-package.");
  });

  test("a file that is imported is emptied, its names kept", async () => {
    const code = await bundle(
      'import { ulid, decodeTime } from "ulid"; ulid(); new decodeTime();',
      emptyFiles([/node_modules\/ulid\//]),
    );
    expect(code.length).toBeLessThan(500);
    expect(new Function(code)).not.toThrow();
  });

  test("a pattern that matches no file any more fails the build", async () => {
    const plugin = emptyFiles([/node_modules\/ulid\//, /ulid\/no-such-file/]);
    await expect(bundle('import "ulid";', plugin)).rejects.toThrow("leaves out: /ulid\\/no-such-file/.");
  });
});
