/** `npm test`: lint, types, then the tests. It stops at the first that fails. */
import { spawnSync } from "node:child_process";
import { readArguments } from "./command-line.ts";

const USAGE = `Checks the project: lint, types, then all tests but those in test/long and test/browser.

  npm test -- [jest's arguments, such as: test/unit/http -t pages]

For tests alone, without lint and types: npm run jest -- [jest's arguments]
`;

const QUIET = ["--reporters=./test/helpers/quiet-reporter.mjs", "--reporters=summary", "--verbose=false"];

readArguments(USAGE, { strict: false, allowPositionals: true }); // jest checks what is for jest
const { npm_execpath } = process.env; // npm itself, which on Windows is no program that can be started by name
const npm = npm_execpath ? [process.execPath, npm_execpath] : ["npm"];
const steps = [["lint"], ["types"], ["jest", "--", ...QUIET, ...process.argv.slice(2)]];
for (const step of steps) {
  const [program = "", ...args] = [...npm, "run", "--silent", ...step];
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    break;
  }
}
