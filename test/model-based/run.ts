/** `npm run test:model`: the model-based test alone, with as many steps and another seed as wanted. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readArguments, usageError } from "../../tools/command-line.ts";

const USAGE = `Runs four clients at once against the local service, and compares every response with a simple model of it.

  npm run test:model -- --steps 10000 --seed 2

  --steps N   requests to compare; npm test makes 1500: 10000
  --seed N    which commands the clients carry out: the one of npm test

Exit code: 0 when the service agrees with the model, 1 when it does not, 2 for wrong options.
`;

const ROOT = join(import.meta.dirname, "..", "..");

const { values } = readArguments(USAGE, {
  options: { steps: { type: "string", default: "10000" }, seed: { type: "string" } },
});
const { steps, seed } = values;
if (!/^[1-9]\d{0,6}$/.test(steps)) {
  usageError(USAGE, "--steps must be a whole number from 1 to 9999999.");
}
if (!/^\d{1,9}$/.test(seed ?? "0")) {
  usageError(USAGE, "--seed must be a whole number of at most 9 digits.");
}
const jest = join(ROOT, "node_modules", "jest", "bin", "jest.js");
const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
const env = { ...process.env, MODEL_STEPS: steps, ...(seed && { MODEL_SEED: seed }) };
const { status } = spawnSync(process.execPath, [...flags, jest, "test/model-based"], {
  cwd: ROOT,
  stdio: "inherit",
  env,
});
process.exitCode = status ?? 1;
