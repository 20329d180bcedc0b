import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLES } from "./folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Where the bundle of the deployment hook lies. */
export const HOOK_BUNDLE = join(BUNDLES, "deployment-hook");

/** Bundles the deployment hook. It starts a few times in each deployment, so nothing is left out of it. */
export async function bundleHook(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["tools/live-check/hook/handler.ts"],
    outfile: join(HOOK_BUNDLE, "index.mjs"),
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    // Packages that are CommonJS inside ask for Node's own modules in this way.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    legalComments: "none",
    logLevel: "warning",
  });
}
