import { globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { FUNCTIONS } from "../../infra/bundling/bundle.ts";
import { pascalCase } from "../../infra/pascal-case.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { functionOf } from "../../shared/contract/endpoint.ts";
import { operations } from "../../shared/openapi/operations.ts";
import { endpoints, functionNames } from "../../shared/openapi/registry.ts";
import { documentedTable } from "../helpers/documented-table.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const KB = 1024;

/** How far a size may be from the documented one. */
const MARGIN = 0.2;

const templates = [...readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "").functions.values()];
const documented = documentedTable("function");

describe("the documented size of a bundle", () => {
  test.each(documented)("is its size, give or take a fifth: %s", (name, { KB: size = 0 }) => {
    const [{ codePath } = { codePath: "" }] = templates.filter((fn) => fn.name.startsWith(`Api${pascalCase(name)}`));
    const measured = statSync(join(codePath, "index.mjs")).size / KB;
    expect(Math.abs(measured - size)).toBeLessThanOrEqual(MARGIN * size);
  });
});

/** The folder of the package that a file belongs to; undefined for a file of this project. */
function packageOf(path: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0];
}

/**
 * Finds what was changed inside of packages.
 *
 * @returns the files whose contents are not those of the package, and the imports between files of a package that lead
 *   elsewhere
 */
function changedInPackages({ inputs }: Metafile): string[] {
  return Object.entries(inputs).flatMap(([path, { bytes, imports }]) => {
    const folder = packageOf(path);
    if (folder === undefined) {
      return [];
    }
    const redirected = imports.filter(({ original, external, path: target }) =>
      external ? !FUNCTIONS.external?.includes(target) : /^[.#]/.test(original ?? "") && packageOf(target) !== folder,
    );
    return [...(bytes === statSync(join(ROOT, path)).size ? [] : [path]), ...redirected.map(({ path }) => path)];
  });
}

/** Bundles without writing anything. */
const bundle = (options: BuildOptions = {}) => build({ ...FUNCTIONS, ...options, write: false, metafile: true });

describe("a bundle", () => {
  let built: Awaited<ReturnType<typeof bundle>>;
  beforeAll(async () => {
    built = await bundle();
  });

  test("contains the files of packages as they are published", () => {
    expect(changedInPackages(built.metafile)).toEqual([]);
  });

  test("contains no documentation of its endpoints, and no schema library if they have no body", () => {
    const { outputFiles, metafile } = built;
    const texts = new Map(outputFiles.map(({ path, text }) => [basename(dirname(path)), text]));
    const outputs = Object.entries(metafile.outputs).map(
      ([path, output]) => [basename(dirname(path)), output] as const,
    );
    for (const name of functionNames.filter((name) => name !== "openapi")) {
      const served = endpoints.filter((endpoint) => functionOf(endpoint) === name);
      const summaries = served.map(({ name }) => `summary:${JSON.stringify(operations.get(name)?.summary)}`);
      const documented = summaries.filter((summary) => texts.get(name)?.includes(summary));
      const inputs = outputs.find(([folder]) => folder === name)?.[1].inputs ?? {};
      const schemas = Object.entries(inputs).some(([path, input]) => path.includes("/zod/") && input.bytesInOutput > 0);
      const hasBody = served.some(({ body }) => body !== undefined);
      // A record's demographic fields are those of their schema.
      expect([name, documented, schemas]).toEqual([name, [], hasBody || name === "get-patient"]);
    }
  });

  test.each<[string, Plugin["setup"]]>([
    [
      "an emptied file",
      ({ onLoad }) => onLoad({ filter: /@smithy\/core\/.*\/date-utils\.js/ }, () => ({ contents: "" })),
    ],
    [
      "an import that is left to the runtime",
      ({ onResolve }) => onResolve({ filter: /date-utils/ }, () => ({ path: "date-utils", external: true })),
    ],
  ])("is compared file by file, which detects %s", async (_, setup) => {
    const plugins = [{ name: "change", setup }, ...(FUNCTIONS.plugins ?? [])];
    const { metafile } = await bundle({ entryPoints: ["functions/get-thread.ts"], plugins });
    expect(changedInPackages(metafile)).not.toEqual([]);
  });

  const leftOut = [...Object.keys(FUNCTIONS.alias ?? {}), ...(FUNCTIONS.external ?? [])];

  test.each(leftOut)("leaves out %s, a package or one of its entry points", (name) => {
    const [, packageName = "", path] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(name) ?? [];
    const { exports } = JSON.parse(readFileSync(join(ROOT, "node_modules", packageName, "package.json"), "utf8"));
    expect(path === undefined || `.${path}` in exports).toBe(true);
  });

  test("is built without naming a folder inside of a package", () => {
    const naming = globSync("infra/bundling/*.ts", { cwd: ROOT }).filter((file) =>
      /node_modules|dist-(es|cjs)/.test(readFileSync(join(ROOT, file), "utf8")),
    );
    expect(naming).toEqual([]);
  });
});
