import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../../shared/command-line.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUILD = join(ROOT, ".build");
const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");

/** The packages in TypeScript. Node runs it in a workspace, but not below `node_modules`. */
export const PACKAGES = ["lambda-local", "safety"] as const;

/** What is no part of a package that others install. */
const OWN = ["test", "training", "node_modules", "package.json"];

/**
 * Writes the npm package of a workspace in TypeScript: the modules as JavaScript with their types, and all other files
 * as they are.
 *
 * @param output the directory, which is replaced
 * @throws Error with the compiler's findings
 */
export function buildPackage(name: (typeof PACKAGES)[number], output: string): void {
  const folder = join(ROOT, "packages", name);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  for (const entry of readdirSync(folder).filter((each) => !OWN.includes(each) && !each.endsWith(".ts"))) {
    cpSync(join(folder, entry), join(output, entry), { recursive: true, filter: (path) => !path.endsWith(".ts") });
  }
  cpSync(join(ROOT, "LICENSE"), join(output, "LICENSE"));
  compile(folder, output);
  const { private: _, exports, ...rest } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = Object.entries<string>(exports).filter(([entry]) => !OWN.includes(entry.split("/")[1] ?? ""));
  const compiled = entries.map(([entry, path]) => [
    entry,
    path.endsWith(".ts") ? { types: path.replace(/\.ts$/, ".d.ts"), default: path.replace(/\.ts$/, ".js") } : path,
  ]);
  const manifest = { ...rest, exports: Object.fromEntries(compiled) };
  writeFileSync(join(output, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function compile(folder: string, output: string): void {
  const project = join(output, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: folder,
    outDir: output,
    typeRoots: [join(ROOT, "node_modules", "@types")],
  };
  const exclude = OWN.map((each) => join(folder, each));
  const config = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: [join(folder, "**/*.ts")], exclude };
  writeFileSync(project, JSON.stringify(config));
  const { status, stdout } = spawnSync(process.execPath, [TSC, "--project", project], { encoding: "utf8" });
  rmSync(project);
  if (status !== 0) {
    throw new Error(`The package cannot be compiled: ${stdout}`);
  }
}

const USAGE = `Builds the npm packages of the workspaces in TypeScript, from which npm can pack them. For the client, there is
"npm run client:package".

  npm run package                        writes ${PACKAGES.map((name) => `.build/${name}`).join(" and ")}
  npm pack .build/safety --pack-destination .build
`;

if (import.meta.main) {
  readArguments(USAGE, { options: {} });
  for (const name of PACKAGES) {
    buildPackage(name, join(BUILD, name));
    process.stdout.write(`.build/${name}\n`);
  }
}
