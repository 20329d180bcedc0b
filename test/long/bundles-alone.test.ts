import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "@jest/globals";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { functionNames } from "../../shared/openapi/registry.ts";
import { stageAssemblies } from "../helpers/template/stages.ts";
import { Template } from "../helpers/template/template.ts";

const staging = join(await stageAssemblies(), "staging");
/** Outside of the project, so that nothing of it can be found from here. */
const folder = mkdtempSync(join(tmpdir(), "alone-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Bundle {
  name: string;
  files: string[];
  environment: Record<string, string>;
}

/** Copies what is uploaded of a function into an empty folder. */
function unpack(name: string, codePath: string, environment: Record<string, string>): Bundle {
  const alone = join(folder, name);
  mkdirSync(alone);
  cpSync(codePath, alone, { recursive: true });
  const files = readdirSync(alone).filter((file) => file.endsWith(".mjs"));
  return { name, files: files.map((file) => join(alone, file)), environment };
}

/**
 * Loads bundles in a process that has nothing but what Lambda provides.
 *
 * @returns what is wrong with each
 */
async function problemsOf(bundles: Bundle[]): Promise<Record<string, string[]>> {
  const urls = bundles.map(({ files, ...bundle }) => ({
    ...bundle,
    files: files.map((file) => pathToFileURL(file).href),
  }));
  const code = `globalThis.awslambda = { streamifyResponse: (handler) => handler }; // provided by Lambda's runtime
    const problems = {};
    for (const { name, files, environment } of ${JSON.stringify(urls)}) {
      Object.assign(process.env, environment);
      problems[name] = [];
      for (const file of files) {
        const loaded = await import(file).catch((error) => problems[name].push(error.message));
        if (file.endsWith("/index.mjs") && typeof loaded.handler !== "function") problems[name].push("no handler");
      }
    }
    process.stdout.write("\\nPROBLEMS" + JSON.stringify(problems));
    process.exit();`;
  const nowhere = "http://127.0.0.1:9";
  const env = {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "key",
    AWS_ENDPOINT_URL: nowhere,
    OPENAI_BASE_URL: nowhere,
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: folder,
    env,
  });
  return JSON.parse(stdout.split("\nPROBLEMS")[1] ?? "");
}

test("each bundle is complete: it loads from an empty folder under the runtime's Node", async () => {
  const runtimes = new Template(staging).all("AWS::Lambda::Function").map(({ Runtime }) => Runtime);
  expect([...new Set(runtimes)]).toEqual([`nodejs${process.versions.node.split(".")[0]}.x`]);
  const bundles = [...readTemplate(staging).functions.values()].map(({ name, codePath, environment }) =>
    unpack(name, codePath, environment),
  );
  expect(bundles).toHaveLength(functionNames.length + 3); // the sweep, the delivery and the hook
  expect(await problemsOf(bundles)).toEqual(Object.fromEntries(bundles.map(({ name }) => [name, []])));
});

test("a bundle that leaves out a package would be detected", async () => {
  const codePath = mkdtempSync(join(folder, "incomplete-"));
  writeFileSync(join(codePath, "index.mjs"), 'import "zod"; export const handler = () => {};');
  expect(await problemsOf([unpack("incomplete", codePath, {})])).toEqual({
    incomplete: [expect.stringContaining("Cannot find package 'zod'"), "no handler"],
  });
});
