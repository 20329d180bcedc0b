import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Metafile } from "esbuild";
import { SettingError } from "./setting-error.ts";

const bundling = startBundling();
report("Bundling the functions and building the pages, while the CDK is loading …");
// Imported after the worker has started: loading the CDK takes a second, during which the worker bundles.
const { ServiceApp } = await import("./service-app.ts");
const { undecided, unheardAlarms } = await import("./settings.ts");
const { copySafetyData } = await import("./bundling/safety-data.ts");

const app = await orExit(() => new ServiceApp());
const { stage, overrides } = app.settings;
const given = Object.entries(overrides).map(([name, value]) => `${name}=${value}`);
process.stderr.write(
  `Settings: infra/stages/${stage}.json${given.length > 0 ? `, overridden by ${given.join(", ")}` : ""}\n`,
);
const missing = undecided(app.settings);
for (const sentence of missing.length > 0 ? missing : unheardAlarms(app.settings)) {
  process.stderr.write(`${sentence}\n`);
}
const metafile = await bundling;
report("Bundled; copying the safety layer's data …");
await orExit(() => copySafetyData(metafile, app.settings.safetyTexts));
if (app.settings.canary) {
  const { bundleHook } = await import("./bundling/bundle.ts");
  await bundleHook();
}
report("Writing the templates …");
app.addStacks();

/** Tells a parent process that listens, such as `npm start`, what is being done. */
function report(step: string): void {
  process.send?.(step);
}

/** Bundles the functions in a worker thread. */
async function startBundling(): Promise<Metafile> {
  const worker = new Worker(join(import.meta.dirname, "bundling", "bundle.ts"));
  const [metafile] = await once(worker, "message"); // rejects if the worker fails
  return metafile;
}

/** Reports an invalid setting in one sentence, without a stack trace. */
async function orExit<T>(make: () => T): Promise<Awaited<T>> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof SettingError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    await bundling.catch(() => {}); // esbuild reports a deadlock if it is interrupted
    process.exit(1);
  }
}
