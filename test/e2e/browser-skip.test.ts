import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const RUN = join(import.meta.dirname, "..", "browser", "run.ts");

/** Runs `npm run test:browser` as on another kind of machine. */
async function runOn(platform: string) {
  const preload = `data:text/javascript,Object.defineProperty(process,"platform",{value:"${platform}"})`;
  const { CHROMIUM_PATH: _, ...env } = process.env;
  return promisify(execFile)(process.execPath, ["--import", preload, RUN], { env });
}

test("the browser test is skipped with one line where the project brings no browser", async () => {
  expect(await runOn("darwin")).toEqual({
    stdout:
      "Browser test skipped: the project brings a Chromium for linux-x64 only; set CHROMIUM_PATH to one of this machine.\n",
    stderr: "",
  });
});
