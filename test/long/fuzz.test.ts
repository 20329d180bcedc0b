import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const FUZZ = join(import.meta.dirname, "../../tools/fuzz/run.ts");

test("a minute of fuzzing finds nothing, or says that the fuzzer cannot be installed here", async () => {
  const args = [FUZZ, "--seconds", "60", "--seed", "1"];
  const options = { maxBuffer: 2 ** 26 };
  const {
    stdout,
    stderr,
    code = 0,
  } = await promisify(execFile)(process.execPath, args, options).catch((error) => error);
  const [verdict = ""] = /^Fuzzing(: [1-9]\d* cases, 0 failures, seed 1| skipped: .*)\.$/m.exec(stdout) ?? [];
  process.stderr.write(code === 0 && verdict ? `${verdict}\n` : `${stdout}${stderr}`);
  expect({ code, verdict }).toEqual({ code: 0, verdict: expect.stringMatching(/./) });
}, 900_000);
