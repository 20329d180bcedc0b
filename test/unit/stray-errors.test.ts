import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const run = promisify(execFile);
const MODULE = new URL("../../shared/observability/stray-errors.ts", import.meta.url).href;

/** Fails in two ways that nobody handles, and goes on. */
const PROGRAM = `
  import { EventEmitter } from "node:events";
  import { setTimeout } from "node:timers/promises";
  import { surviveStrayErrors } from ${JSON.stringify(MODULE)};
  surviveStrayErrors();
  surviveStrayErrors();
  setImmediate(() => new EventEmitter().emit("error", new TypeError("what a patient said")));
  Promise.reject(new RangeError("what a patient said"));
  await setTimeout(20);
  console.log("done");
`;

test("an error that nobody handles does not end the process, and is logged once without its message", async () => {
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", PROGRAM]);
  expect(stdout).toBe("done\n");
  expect(stderr.match(/'stray-error'/g)).toHaveLength(2);
  expect(stderr).toMatch(/errorName: 'RangeError'.*errorName: 'TypeError'/s);
  expect(stderr).not.toContain("patient");
});

test("a line that nobody can read any more is not followed by others about it", async () => {
  const program = `
    import { surviveStrayErrors } from ${JSON.stringify(MODULE)};
    surviveStrayErrors();
    let lines = 0;
    // As AWS's runtime client does it; Node's own console drops such errors.
    console.error = (...values) => {
      lines++;
      process.stderr.write(JSON.stringify(values) + "\\n");
    };
    process.stdin.once("end", () => {
      console.error("a line");
      setTimeout(() => process.exit(Math.min(lines, 100)), 100);
    });
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  child.stderr.destroy();
  child.stdout.destroy();
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([1, null]);
});
