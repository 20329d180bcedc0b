import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLES } from "./folder.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** The directory of the deployment hook's bundle. */
export const HOOK_BUNDLE = join(BUNDLES, "deployment-hook");

/** Bundles the deployment hook. It only starts a few times per deployment, so nothing is left out of the bundle. */
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
    // CommonJS packages load Node's built-in modules with `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    legalComments: "none",
    logLevel: "warning",
  });
}
