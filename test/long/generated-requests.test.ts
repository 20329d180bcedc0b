import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

/** `GENERATED_MINUTES=10 npm run test:long -- generated-requests` for more. */
const MINUTES = process.env.GENERATED_MINUTES ?? "1";

const LOAD = join(import.meta.dirname, "../../tools/load/run.ts");

test(`generated requests (${MINUTES} min) find nothing, or say that they cannot be generated here`, async () => {
  const args = [LOAD, "--generated", "--minutes", MINUTES, "--seed", "1"];
  const options = { maxBuffer: 2 ** 26 };
  const {
    stdout,
    stderr,
    code = 0,
  } = await promisify(execFile)(process.execPath, args, options).catch((error) => error);
  const pattern = /^Generated requests(: [1-9]\d* cases, 0 failures, seed 1| skipped: .*)\.$/m;
  const [verdict = ""] = pattern.exec(stdout) ?? [];
  if (code !== 0 || !verdict || verdict.includes("skipped")) {
    process.stderr.write(`${stdout}${stderr}`);
  }
  expect({ code, verdict }).toEqual({ code: 0, verdict: expect.stringMatching(/./) });
}, 900_000);
