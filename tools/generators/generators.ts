import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { maven, mavenArtifact, npx, pythonWith, run } from "./toolchain.ts";

/**
 * The steps that a program takes with the generated client: it creates a patient, repeats that with an idempotency key,
 * chats, streams, lists messages and threads, corrects with `If-Match`, and so on.
 */
export const STEPS = "patient repeat chat stream lists 412 search export 409 404 erase".split(" ");

/** A generator, or something else that reads the document. */
export interface Generator {
  name: string;
  /**
   * Generates from the document, in an empty folder, and compiles.
   *
   * @returns how to run the program; nothing for what only checks the document
   */
  build(document: string, folder: string): Promise<{ command: string; args: string[] } | undefined>;
}

const PROGRAMS = join(import.meta.dirname, "programs");

const OPENAPI_GENERATOR = "7.25.0";
const OPENAPI_TYPESCRIPT = "7.13.0";
const REDOCLY = "2.77.0";
const SPECTRAL = "6.16.3";
const POSTMAN = "6.3.3";

export const GENERATORS: Generator[] = [
  {
    name: `openapi-generator ${OPENAPI_GENERATOR} java`,
    async build(document, folder) {
      // Optional parameters are set by name, so that a new one breaks no caller.
      await generate("java", document, folder, "-p", "useSingleRequestParameter=true");
      cpSync(join(PROGRAMS, "Program.java"), join(folder, "src", "main", "java", "Program.java"));
      // The project that is generated builds for Java 8; the program uses what came later.
      const args = [
        "test-compile",
        "dependency:build-classpath",
        "-Dmdep.outputFile=classpath",
        "-Dmaven.test.skip=true",
      ];
      await maven([...args, "-Dmaven.compiler.source=17", "-Dmaven.compiler.target=17"], folder);
      const classpath = `${join(folder, "target", "classes")}:${readFileSync(join(folder, "classpath"), "utf8").trim()}`;
      return { command: "java", args: ["-cp", classpath, "Program"] };
    },
  },
  {
    name: `openapi-generator ${OPENAPI_GENERATOR} python`,
    async build(document, folder) {
      await generate("python", document, folder);
      const python = await pythonWith(join(folder, "requirements.txt"), folder);
      await run(python, ["-m", "compileall", "-q", "openapi_client"], folder);
      cpSync(join(PROGRAMS, "program.py"), join(folder, "program.py"));
      return { command: python, args: ["program.py"] };
    },
  },
  {
    name: `openapi-generator ${OPENAPI_GENERATOR} typescript-fetch`,
    async build(document, folder) {
      await generate("typescript-fetch", document, join(folder, "generated"));
      return compileTypeScript(folder, "program.fetch.ts");
    },
  },
  {
    name: `openapi-typescript ${OPENAPI_TYPESCRIPT}`,
    async build(document, folder) {
      const packages = [`openapi-typescript@${OPENAPI_TYPESCRIPT}`, "typescript@5.9.3"];
      await npx(packages, ["openapi-typescript", document, "--output", join(folder, "generated.d.ts")], folder);
      return compileTypeScript(folder, "program.types.ts");
    },
  },
  {
    name: `Redocly CLI ${REDOCLY} lint`,
    async build(document, folder) {
      const args = ["redocly", "lint", document, "--extends=recommended", "--format=json"];
      const report = JSON.parse(await npx([`@redocly/cli@${REDOCLY}`], args, folder));
      expectNothing(report.problems);
      return undefined;
    },
  },
  {
    name: `Spectral ${SPECTRAL} lint`,
    async build(document, folder) {
      writeFileSync(join(folder, "ruleset.yaml"), 'extends: ["spectral:oas"]\n');
      const args = ["spectral", "lint", document, "--ruleset=ruleset.yaml", "--format=json", "--quiet"];
      const report = await npx([`@stoplight/spectral-cli@${SPECTRAL}`], [...args, "--fail-severity=hint"], folder);
      expectNothing(JSON.parse(report.slice(report.indexOf("["), report.lastIndexOf("]") + 1)));
      return undefined;
    },
  },
  {
    name: `openapi-to-postmanv2 ${POSTMAN}`,
    async build(document, folder) {
      const output = join(folder, "collection.json");
      await npx([`openapi-to-postmanv2@${POSTMAN}`], ["openapi2postmanv2", "-s", document, "-o", output], folder);
      const { paths } = JSON.parse(readFileSync(document, "utf8")) as { paths: Record<string, object> };
      const operations = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
      const requests = readFileSync(output, "utf8").match(/"request": ?\{\s*"name"/g)?.length;
      if (requests !== operations) {
        throw new Error(`The collection has ${requests} requests instead of ${operations}.`);
      }
      return undefined;
    },
  },
];

async function generate(language: string, document: string, output: string, ...options: string[]): Promise<void> {
  const jar = await mavenArtifact("org.openapitools", "openapi-generator-cli", OPENAPI_GENERATOR);
  await run("java", ["-jar", jar, "generate", "-g", language, "-i", document, "-o", output, ...options], ".");
}

/** Type-checks a program strictly, as this project's own, and bundles it for Node. */
async function compileTypeScript(folder: string, program: string) {
  cpSync(join(PROGRAMS, program), join(folder, program));
  const bin = join(import.meta.dirname, "..", "..", "node_modules", ".bin");
  const strict = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];
  const types = ["--types", "node", "--typeRoots", join(bin, "..", "@types"), "--ignoreConfig"];
  await run(join(bin, "tsc"), [...strict, ...types, program], folder);
  const bundle = join(folder, "program.mjs");
  await run(
    join(bin, "esbuild"),
    [program, "--bundle", "--platform=node", `--outfile=${bundle}`, "--format=esm"],
    folder,
  );
  return { command: process.execPath, args: [bundle] };
}

function expectNothing(problems: unknown[]): void {
  if (problems.length > 0) {
    throw new Error(JSON.stringify(problems, undefined, 2));
  }
}
