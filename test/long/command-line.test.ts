import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";
import cdkFile from "../../cdk.json" with { type: "json" };
import packageFile from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..", "..");
const CHECK = pathToFileURL(join(ROOT, "local", "check-installation.cjs")).href;

/** The scripts in package.json that are programs of this project. */
const scripts = Object.entries(packageFile.scripts).flatMap(([name, command]) => {
  const file = /^node .*?([\w/.-]+\.ts)$/.exec(command)?.[1];
  return file ? [[name, file] as const] : [];
});

function run(file: string, ...args: string[]) {
  const env = { ...process.env, CHECK_BASE_URL: "", CHECK_API_KEY: "" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, file), ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

test("the scripts are found", () => {
  expect(scripts.map(([name]) => name)).toEqual(
    expect.arrayContaining(["start", "demo", "keys", "bench", "check:live"]),
  );
});

test("every script of this project first checks the installation, and cdk runs the app likewise", () => {
  const commands = [...Object.values(packageFile.scripts), cdkFile.app].filter((command) =>
    command.startsWith("node "),
  );
  expect(commands.length).toBeGreaterThan(scripts.length);
  expect(commands.filter((command) => !command.startsWith("node --require ./local/check-installation.cjs "))).toEqual(
    [],
  );
});

test.each([
  [
    "Node cannot run TypeScript",
    "process.features,'typescript',{value:undefined}",
    `Node ${process.versions.node} cannot run this project's TypeScript; install Node 24, or at least 22.18.\n`,
  ],
  [
    "the packages for this machine are missing",
    "process,'arch',{value:'z80'}",
    `The packages for this machine, such as @esbuild/${process.platform}-z80, are not installed; run npm ci, without --omit=optional.\n`,
  ],
])("one sentence says what to do if %s", (_, property, sentence) => {
  const machine = `data:text/javascript,Object.defineProperty(${property})`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--import", machine, "--eval", `await import(${JSON.stringify(CHECK)})`],
    { encoding: "utf8" },
  );
  expect([status, stdout, stderr]).toEqual([1, "", sentence]);
});

test.each(scripts)("npm run %s -- --help prints the usage", (name, file) => {
  const { status, stdout, stderr } = run(file, "--help");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(["start", "test"].includes(name) ? `npm ${name}` : `npm run ${name}`);
});

test("an unknown option is reported by name, but no argument is ever printed", () => {
  const { status, stdout, stderr } = run("tools/keys/keys.ts", "--no-such-option", "a-key-in-the-wrong-place");
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^Unknown option '--no-such-option'/);
  expect(stderr).toContain("npm ");
  expect(stderr).not.toContain("a-key-in-the-wrong-place");
});

test.each([
  [["tools/live-check/check.ts", "a-key"], /^There is an argument that does not belong to an option\.\n/],
  [["tools/live-check/check.ts", "--api-key", "a-key"], /^--base-url is missing\.\n/],
  [["tools/live-check/check.ts", "--base-url", "http://127.0.0.1:1/v1"], /^.*npm run check:live -- --base-url/s],
  [["tools/live-check/check.ts", "--apikey", "a-key"], /^Unknown option '--apikey'.*npm run check:live -- --base-url/s],
  [["tools/keys/keys.ts", "crate"], /^There is no command crate\. The first argument must be one of list, /],
  [["tools/deploy/deploy.ts", "nosuch"], /^The argument nosuch belongs to no option;/],
  [["tools/deploy/deploy.ts", "-c", "stage=dev", "nosuch"], /^The argument nosuch belongs to no option;/],
  [["tools/keys/keys.ts"], /^The first argument must be one of list, add, /],
  [["tools/keys/keys.ts", "add", "--stage", "dev"], /^The command add needs a --client\.\n/],
  [["tools/keys/keys.ts", "list", "--stage", "moon"], /^--stage must be one of dev, /],
  [["tools/keys/keys.ts", "list", "--stage", "dev", "--secret-id", "x"], /^Specify either --stage or --secret-id/],
  [["test/bench/run.ts", "everything"], /^Unknown subject everything; available subjects: cold, /],
])("%j reports the error", ([file = "", ...args], message) => {
  const { status, stderr } = run(file, ...args);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("a-key");
  expect(status).toBe(2);
});
