import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Metafile } from "esbuild";
import { BUNDLES } from "./bundling/folder.ts";
import { SettingError } from "./setting-error.ts";

const bundling = startBundling();
// Imported only now, because loading the CDK takes a second, in which the worker bundles.
const { ServiceApp } = await import("./service-app.ts");
const { copySafetyData } = await import("./bundling/safety-data.ts");

const app = await orExit(() => new ServiceApp());
const { stage, overrides } = app.settings;
const given = Object.entries(overrides).map(([name, value]) => `${name}=${value}`);
process.stderr.write(
  `Settings: infra/stages/${stage}.json${given.length > 0 ? `, overridden by ${given.join(", ")}` : ""}\n`,
);
const metafile = await bundling;
await orExit(() => copySafetyData(metafile, app.settings.safetyTexts));
if (app.settings.shifting) {
  const { bundleHook } = await import("./bundling/bundle-hook.ts");
  await bundleHook();
}
app.addStack();
// The local service serves the playground whether or not the template has an endpoint for it.
copyFileSync(join(BUNDLES, "playground", "page.json"), join(app.outdir, "playground.json"));

/** Bundles the functions in another thread. */
async function startBundling(): Promise<Metafile> {
  const worker = new Worker(join(import.meta.dirname, "bundling", "bundle-worker.ts"));
  const [metafile] = await once(worker, "message"); // rejects if the worker fails
  return metafile;
}

/** A wrong setting is one sentence, not a stack trace. */
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
