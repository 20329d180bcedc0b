import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "@jest/globals";
import { bannerOf, npmStart } from "../helpers/npm-start.ts";
import { testOnPosix } from "../helpers/posix.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs what `npm start` runs, as on another kind of machine. */
function startOn(platform: string, arch: string, settings: NodeJS.ProcessEnv) {
  const setUp = `Object.defineProperties(process, { platform: { value: "${platform}" }, arch: { value: "${arch}" } });`;
  return npmStart({ DATA_DIR: mkdtempSync(join(folder, "data-")), ...settings }, { setUp });
}

async function refusalOn(platform: string, arch: string, settings: NodeJS.ProcessEnv = {}) {
  const program = startOn(platform, arch, settings);
  const [stderr, [code]] = await Promise.all([text(program.stderr), once(program, "exit"), text(program.stdout)]);
  return { code, stderr };
}

/** A folder like that of the unpacked download. */
function dynamoDbLocal(): string {
  const unpacked = mkdtempSync(join(folder, "dynamodb-local-"));
  writeFileSync(join(unpacked, "DynamoDBLocal.jar"), "");
  return unpacked;
}

/** A PATH whose `java` understands DynamoDB Local's options, and runs the embedded database with them. */
function pathWithJava(): string {
  const bin = join(folder, "bin");
  const platform = `@dynoxide/${process.platform}-${process.arch}/package.json`;
  const dynoxide = join(dirname(createRequire(import.meta.url).resolve(platform)), "dynoxide");
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh
    [ "$1" = -version ] && exit
    while [ $# -gt 0 ]; do
      case "$1" in -port) port=$2 ;; -dbPath) folder=$2 ;; esac
      shift
    done
    exec "${dynoxide}" --host 127.0.0.1 --port "$port" --db-path "$folder/shared-local-instance.db"`;
  writeFileSync(join(bin, "java"), script, { mode: 0o755 });
  return `${bin}${delimiter}${process.env.PATH}`;
}

describe("npm start on a machine without an embedded database", () => {
  test("says in one sentence what to do", async () => {
    expect(await refusalOn("sunos", "x64")).toEqual({
      code: 1,
      stderr:
        "There is no embedded DynamoDB for this machine (@dynoxide/sunos-x64 is not installed); run npm ci " +
        "without --omit=optional, or install Java, unpack DynamoDB Local, and set DYNAMODB_LOCAL_DIR to its folder " +
        '(the README of lambda-local, "Databases").\n',
    });
  });

  test("says in one sentence that DynamoDB Local is not where the setting says", async () => {
    expect(await refusalOn("darwin", "arm64", { DYNAMODB_LOCAL_DIR: folder })).toEqual({
      code: 1,
      stderr: `DYNAMODB_LOCAL_DIR is "${folder}", which has no DynamoDBLocal.jar; set it to the folder of the unpacked download.\n`,
    });
  });

  test("says in one sentence that DynamoDB Local needs Java", async () => {
    expect(await refusalOn("win32", "x64", { DYNAMODB_LOCAL_DIR: dynamoDbLocal(), PATH: folder })).toEqual({
      code: 1,
      stderr: "DynamoDB Local needs Java; install Java 17 or newer, so that java -version prints its version.\n",
    });
  });

  // The program that stands in for Java is a shell script.
  testOnPosix("runs DynamoDB Local, and stops it", async () => {
    const settings = { DYNAMODB_LOCAL_DIR: dynamoDbLocal(), PATH: pathWithJava() };
    const program = startOn("darwin", "arm64", settings);
    const stderr = text(program.stderr);
    const { output, baseUrl } = await bannerOf(program);
    expect(output).toMatch(/database +\S+shared-local-instance\.db\n/);
    const response = await fetch(`${baseUrl}/chat`, {
      method: "POST",
      headers: { "x-api-key": "local-dev-key", "content-type": "application/json" },
      body: JSON.stringify({ message: "Hello" }),
    });
    expect(response.status).toBe(200);
    program.kill("SIGINT");
    expect(await once(program, "exit")).toEqual([0, null]);
    expect(await stderr).toBe("");
  });
});

test("the functions' runtime can import a function by a path of Windows", async () => {
  const preload = pathToFileURL(join(ROOT, "packages/lambda-local/preload.mjs")).href;
  const script = String.raw`import("C:\\no such folder\\index.mjs").catch(({ url }) => process.stdout.write(url))`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", preload, "--eval", script]);
  expect(stdout).toBe("file:///C:/no%20such%20folder/index.mjs");
});
