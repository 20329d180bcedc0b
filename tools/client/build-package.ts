import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { readArguments } from "../../shared/command-line.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "packages", "client");

/** The output directory of `npm run client:package`, which the release workflow publishes. */
const OUTPUT = join(ROOT, ".build", "client");

/**
 * Writes the client's npm package: the modules unchanged, the same modules as CommonJS in `cjs/`, and their types. The
 * types are copied to `cjs/` because TypeScript takes a declaration file's module format from the nearest
 * `package.json`.
 *
 * @param output the directory, which is replaced
 * @throws esbuild's errors
 */
export async function buildPackage(output: string): Promise<void> {
  const modules = readdirSync(FOLDER).filter((name) => name.endsWith(".js"));
  const types = readdirSync(FOLDER).filter((name) => name.endsWith(".d.ts"));
  rmSync(output, { recursive: true, force: true });
  mkdirSync(join(output, "cjs"), { recursive: true });
  for (const name of [...modules, ...types, "package.json", "README.md"]) {
    cpSync(join(FOLDER, name), join(output, name));
  }
  cpSync(join(ROOT, "LICENSE"), join(output, "LICENSE"));
  for (const name of types) {
    cpSync(join(FOLDER, name), join(output, "cjs", name));
  }
  // A third of the package, and nothing but types: not twice.
  const schemas = 'export type * from "../schemas.d.ts" with { "resolution-mode": "import" };\n';
  writeFileSync(join(output, "cjs", "schemas.d.ts"), schemas);
  await build({
    absWorkingDir: ROOT,
    entryPoints: modules.map((name) => join(FOLDER, name)),
    outdir: join(output, "cjs"),
    format: "cjs",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
  writeFileSync(join(output, "cjs", "package.json"), '{ "type": "commonjs" }\n');
}

const USAGE = `Builds the client's npm package in .build/client, from which npm can pack or publish it.

  npm run client:package
  npm pack .build/client --pack-destination .build
`;

if (import.meta.main) {
  readArguments(USAGE, { options: {} });
  await buildPackage(OUTPUT);
}
