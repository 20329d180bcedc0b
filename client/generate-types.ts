import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import packageFile from "../package.json" with { type: "json" };
import { openApiDocument } from "../shared/openapi/document.ts";
import { readArguments } from "../tools/command-line.ts";

const FOLDER = import.meta.dirname;
const BIN = join(FOLDER, "../node_modules/.bin");

const BANNER = `// Made from the OpenAPI document by "npm run client:types"; not to be changed by hand.\n\n`;

/**
 * The types of the OpenAPI document's bodies, for `schemas.d.ts`.
 *
 * They are made by json-schema-to-typescript, since generators for whole OpenAPI documents need the compiler's
 * programming interface, which TypeScript 7 does not have.
 */
export async function bodyTypes(): Promise<string> {
  const { components } = openApiDocument("") as { components: { schemas: Record<string, unknown> } };
  const definitions = JSON.parse(JSON.stringify(components.schemas), (_, value) => precise(value));
  const text = JSON.stringify({ title: "Schemas", additionalProperties: false, definitions }).replaceAll(
    "#/components/schemas/",
    "#/definitions/",
  );
  const types = await compile(JSON.parse(text) as JSONSchema, "Schemas", {
    additionalProperties: false, // or a misspelt field would compile
    unreachableDefinitions: true,
    ignoreMinAndMaxItems: true,
    bannerComment: "",
    format: false,
  });
  const bodies = types
    .replace(/^export interface Schemas \{\s*\}\n/m, "")
    .replaceAll(
      /(?: \*\n)? \* This interface was referenced by `Schemas`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g,
      "",
    )
    .replaceAll("/**\n */\n", "");
  return format("schemas.d.ts", BANNER + bodies);
}

/**
 * Gives back the precision that the document omits for the sake of other languages (`shared/openapi/portable-schema.ts`).
 * Conditions on combinations of fields have no type.
 */
function precise(value: unknown): unknown {
  if (isConditional(value)) {
    const { anyOf: _, ...unconditional } = value;
    return unconditional;
  }
  const { not, ...schema } = (value ?? {}) as JSONSchema;
  if (typeof not?.const === "boolean") {
    return { ...schema, const: !not.const };
  }
  return schema.description === "Of type string or object" ? { tsType: "(string | { [k: string]: unknown })" } : value;
}

function isConditional(value: unknown): value is JSONSchema {
  const { properties, anyOf } = (value ?? {}) as JSONSchema;
  return properties !== undefined && Array.isArray(anyOf);
}

/**
 * The declarations of what the client's own files export, made by the compiler.
 *
 * @returns the declaration files' contents by their names
 * @throws Error with the compiler's findings when the client does not fit `schemas.d.ts`
 */
export function declarations(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "client-types-"));
  try {
    const emit = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
    run("tsc", ["--project", FOLDER, ...emit]);
    const contents = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
    return Object.fromEntries(contents.map(([name, text]) => [name, format(name, BANNER + tidy(text))]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Leaves out what the compiler copies without need: comments whose types it has written out, and marks of private fields. */
function tidy(declarations: string): string {
  return declarations.replaceAll(/\/\*\*\s(?:(?!\*\/).)*@(?:typedef|import) .*?\*\/\n|^ *#private;\n/gms, "");
}

function format(name: string, text: string): string {
  return run("biome", ["format", `--stdin-file-path=client/${name}`], text);
}

function run(tool: string, args: string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync(join(BIN, tool), args, { input, encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`${tool} failed: ${error?.message ?? stdout + stderr}`);
  }
  return stdout;
}

/** The package's version, as a module: browsers and older versions of Node cannot import JSON. */
export function versionModule(): string {
  return `${BANNER}export const VERSION = ${JSON.stringify(packageFile.version)};\n`;
}

const USAGE = `Generates the client's types (client/*.d.ts) and version.js from the OpenAPI document and its JSDoc.

  npm run client:types
`;

if (import.meta.main) {
  readArguments(USAGE, { options: {} });
  writeFileSync(join(FOLDER, "version.js"), versionModule());
  writeFileSync(join(FOLDER, "schemas.d.ts"), await bodyTypes());
  for (const [name, text] of Object.entries(declarations())) {
    writeFileSync(join(FOLDER, name), text);
  }
}
