/**
 * `npm run test:browser`: shows the reference, the playground and `examples/chat-ui` to a real browser. Where there is
 * none for this machine it says so in one line, and ends well. With `--screenshots` it also writes the images that the
 * READMEs show; other arguments go to jest.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readArguments } from "../../shared/command-line.ts";
import { findChromium } from "./chromium.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const JEST = join(ROOT, "node_modules", "jest", "bin", "jest.js");

const USAGE = `Tests the reference, the playground and examples/chat-ui in a real browser; the last one if its dependencies are installed:
npm ci --prefix examples/chat-ui

  npm run test:browser -- [--screenshots] [jest's arguments, such as: docs -t samples]

  --screenshots  also updates the images in the README

Needs linux-x64, or a Chromium in CHROMIUM_PATH.
`;

readArguments(USAGE, { strict: false, allowPositionals: true }); // jest checks what is for jest
const chromium = await findChromium();
if (!chromium) {
  process.stdout.write(
    `Browser test skipped: the project brings a Chromium for linux-x64 only; set CHROMIUM_PATH to one of this machine.\n`,
  );
} else {
  const screenshots = "--screenshots";
  const args = process.argv.slice(2).filter((arg) => arg !== screenshots);
  const { status } = spawnSync(
    process.execPath,
    [
      "--experimental-vm-modules",
      "--disable-warning=ExperimentalWarning",
      JEST,
      "--config",
      join(import.meta.dirname, "jest.config.json"),
      ...args,
    ],
    {
      cwd: ROOT,
      stdio: "inherit",
      env: {
        ...process.env,
        TEST_CHROMIUM: JSON.stringify(chromium),
        TEST_SCREENSHOTS: process.argv.includes(screenshots) ? "yes" : "",
      },
    },
  );
  process.exitCode = status ?? 1;
}
