/** `npm test`: lint, types, then the tests. The tests run only if lint and types are all right. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readArguments } from "../shared/command-line.ts";

const USAGE = `Checks the project: lint, types, then all tests but those in test/long and test/browser.

  npm test -- [jest's arguments, such as: test/unit/http -t pages]

For tests alone, without lint and types: npm run jest -- [jest's arguments]
`;

const QUIET = ["--reporters=./test/helpers/quiet-reporter.mjs", "--reporters=summary", "--verbose=false"];

readArguments(USAGE, { strict: false, allowPositionals: true }); // jest checks what is for jest
const { npm_execpath } = process.env; // npm itself, which on Windows is no program that can be started by name
const npm = npm_execpath ? [process.execPath, npm_execpath] : ["npm"];
const run = async (...args: string[]): Promise<number> => {
  const [program = "", ...options] = [...npm, "run", "--silent", ...args];
  const [status] = await once(spawn(program, options, { stdio: "inherit" }), "exit");
  return status ?? 1;
};
const failed = (await Promise.all([run("lint"), run("types")])).some((status) => status !== 0);
process.exitCode = failed ? 1 : await run("jest", "--", ...QUIET, ...process.argv.slice(2));
