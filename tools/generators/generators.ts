import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALL_STEPS, type Generator, MAIN_STEPS } from "./generator.ts";
import { openapiGenerator } from "./openapi-generator.ts";
import { buildGo, compileTypeScript, go, installNpm, npx } from "./toolchain.ts";

const OAPI_CODEGEN = "2.8.2";
const OAPI_CODEGEN_RUNTIME = "1.8.0";
const OPENAPI_TYPESCRIPT = "7.13.0";
const OPENAPI_FETCH = "0.17.0";
const HEY_API = "0.99.0";
const REDOCLY = "2.77.0";
const SPECTRAL = "6.16.3";
const POSTMAN = "6.3.3";

/** Some generators need the compiler API, which TypeScript 7 does not have. */
const TYPESCRIPT = "typescript@5.9.3";

export const GENERATORS: Generator[] = [
  ...openapiGenerator("7.25.0"),
  ...openapiGenerator("7.23.0"),
  {
    name: `oapi-codegen ${OAPI_CODEGEN}`,
    steps: MAIN_STEPS,
    async build(document, folder) {
      await go(["mod", "init", "generated"], folder);
      mkdirSync(join(folder, "api"));
      const command = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${OAPI_CODEGEN}`;
      await go(["run", command, "-generate=types,client", "-package=api", "-o=api/api.go", document], folder);
      return async () => {
        await go(["get", `github.com/oapi-codegen/runtime@v${OAPI_CODEGEN_RUNTIME}`], folder);
        return buildGo("program.oapi-codegen.go", folder);
      };
    },
  },
  {
    name: `openapi-typescript ${OPENAPI_TYPESCRIPT} with openapi-fetch ${OPENAPI_FETCH}`,
    steps: ALL_STEPS,
    async build(document, folder) {
      const packages = [`openapi-typescript@${OPENAPI_TYPESCRIPT}`, TYPESCRIPT];
      await npx(packages, ["openapi-typescript", document, "--output", join(folder, "generated.d.ts")], folder);
      return async () => {
        await installNpm(`openapi-fetch@${OPENAPI_FETCH}`, folder);
        return compileTypeScript(folder, "program.openapi-fetch.ts");
      };
    },
  },
  {
    name: `hey-api ${HEY_API}`,
    steps: MAIN_STEPS,
    async build(document, folder) {
      const packages = [`@hey-api/openapi-ts@${HEY_API}`, TYPESCRIPT];
      await npx(packages, ["openapi-ts", "--input", document, "--output", "generated", "--no-log-file"], folder);
      return () => compileTypeScript(folder, "program.hey-api.ts");
    },
  },
  {
    name: `Redocly CLI ${REDOCLY} lint`,
    steps: [],
    async build(document, folder) {
      const args = ["redocly", "lint", document, "--extends=recommended", "--format=json"];
      const report = JSON.parse(await npx([`@redocly/cli@${REDOCLY}`], args, folder));
      expectNothing(report.problems);
      return undefined;
    },
  },
  {
    name: `Spectral ${SPECTRAL} lint`,
    steps: [],
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
    steps: [],
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

function expectNothing(problems: unknown[]): void {
  if (problems.length > 0) {
    throw new Error(JSON.stringify(problems, undefined, 2));
  }
}
