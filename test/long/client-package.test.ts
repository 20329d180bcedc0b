import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { buildSync } from "esbuild";
import chatUi from "../../examples/chat-ui/package.json" with { type: "json" };
import { buildPackage } from "../../tools/client/build-package.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const NAME = "health-assistant-client";
const KILOBYTE = 1024;

/** A fresh project with the package installed from its tarball. */
let project: string;
let tarball: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "client-package-"));
  await buildPackage(join(project, "built"));
  run("npm", "pack", "--silent", "./built"); // a shell would need quotes around a path with spaces
  tarball = join(project, readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "");
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  run("npm", "install", "--silent", "--offline", "--no-audit", "--ignore-scripts", `./${basename(tarball)}`);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Runs a command in the project and returns its output. */
function run(command: string, ...args: string[]): string {
  const shell = process.platform === "win32" && command === "npm"; // where npm is a script
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: project, encoding: "utf8", shell });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stdout + stderr}`);
  }
  return stdout;
}

const installed = (name: string) => join(project, "node_modules", NAME, name);
const listed = (folder: string) => readdirSync(installed(folder)).filter((name) => /\.(js|d\.ts)$/.test(name));

describe("the package", () => {
  test("is smaller than 48 KB and contains no dependencies and no build tools", () => {
    expect(statSync(tarball).size).toBeLessThan(48 * KILOBYTE);
    const { dependencies, peerDependencies, scripts } = JSON.parse(readFileSync(installed("package.json"), "utf8"));
    expect([dependencies, scripts]).toEqual([undefined, undefined]);
    // Needed only for the AI SDK's transport; the version is the one that the example, and so its test, uses.
    expect(peerDependencies).toEqual({ ai: `^${chatUi.dependencies.ai}` });
    expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([NAME]);
    expect(readdirSync(installed(".")).sort()).toEqual(
      ["LICENSE", "README.md", "cjs", "package.json", ...listed(".")].sort(),
    );
    expect(listed("cjs")).toEqual(listed("."));
  });

  test.each([
    [
      "an ES module",
      "use.mjs",
      `import { ApiError, HealthAssistantClient } from "${NAME}";
       import { HealthChatTransport } from "${NAME}/ai-sdk";
       import { createChatHandler } from "${NAME}/ai-sdk/server";`,
    ],
    [
      "CommonJS",
      "use.cjs",
      `const { ApiError, HealthAssistantClient } = require("${NAME}");
       const { HealthChatTransport } = require("${NAME}/ai-sdk");
       const { createChatHandler } = require("${NAME}/ai-sdk/server");`,
    ],
  ])("works in Node as %s", (_, file, head) => {
    const use = `
      const fetch = async () => Response.json({ error: "Thread not found or expired" }, { status: 404 });
      const client = new HealthAssistantClient({ baseUrl: "https://example.org/v1", apiKey: "key", fetch });
      const handler = createChatHandler({ client, conversation: () => ({ threadId: "48213" }) });
      const route = (path, init) => handler(new Request("https://example.org" + path, init));
      new HealthChatTransport({ fetch: route }).load()
        .catch((error) => console.log(error instanceof ApiError, error.status));`;
    writeFileSync(join(project, file), head + use);
    expect(run(process.execPath, file)).toBe("true 404\n");
  });
});

describe("the types, in a fresh strict project,", () => {
  const declarations = readFileSync(join(import.meta.dirname, "typed-use.ts"), "utf8");
  const use = `${declarations.replace("conversational-health-assistant-service/client", NAME)}
    import { ApiError } from "${NAME}";
    export const statusOf = (error: unknown) => (error instanceof ApiError ? error.status : undefined);
    // @ts-expect-error: patient can be undefined
    export const idOf = (error: ApiError) => error.patient.id;`;

  const NODE = ["--lib", "ES2022", "--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  const BROWSER = ["--lib", "ES2022,DOM,DOM.Iterable", "--types", ""];

  test.each([
    ["node16", ["use.mts", "use.cts"], ["--module", "node16", ...NODE]],
    ["bundler", ["use.ts"], ["--module", "esnext", "--moduleResolution", "bundler", ...BROWSER]],
  ])("are found and correct with %s", (_, files, options) => {
    for (const file of files) {
      writeFileSync(join(project, file), use);
    }
    run(process.execPath, TSC, "--noEmit", "--strict", "--ignoreConfig", ...options, ...files);
  });
});

describe("in a browser bundle", () => {
  /** Returns the bundle of a program that uses the package. */
  function bundle(program: string): string {
    const { outputFiles } = buildSync({
      stdin: { contents: program, resolveDir: project },
      bundle: true,
      minify: true,
      logLevel: "error",
      write: false,
      platform: "browser",
      format: "esm",
    });
    return outputFiles[0]?.text ?? "";
  }
  const compressedSize = (text: string) => gzipSync(text, { level: 9 }).length;

  let everything: string;
  beforeAll(() => {
    everything = bundle(`export * from "${NAME}";`);
  });

  test("the whole client is smaller than 6 KB when compressed", () => {
    expect(everything).toContain("/threads");
    expect(compressedSize(everything)).toBeLessThan(6 * KILOBYTE);
  });

  test("unused exports are left out", () => {
    const errorsOnly = bundle(`import { ApiError } from "${NAME}"; console.log(new ApiError("x").status);`);
    expect(errorsOnly).toContain("ApiError");
    expect(errorsOnly).not.toMatch(/threads|idempotency-key|event-stream/);
    expect(compressedSize(errorsOnly)).toBeLessThan(compressedSize(everything) / 4);
    expect(bundle(`import "${NAME}";`).trim()).toBe("");
  });
});
