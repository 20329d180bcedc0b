import { readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "..", "..");

/** The directory of the functions' bundles, each in a subdirectory: `<name>/index.mjs`. */
export const BUNDLES = process.env.BUNDLES_FOLDER ?? join(ROOT, ".build", "functions");

/** The directory of the deployment hook's bundle. */
export const HOOK_BUNDLE = join(BUNDLES, "deployment-hook");

/**
 * Loads Node's built-in modules with `process.getBuiltinModule`. An ES module's `import` of `node:http` lists all of
 * its exports, among them `WebSocket`, which loads Node's `fetch`: 20 to 40 ms of a cold start instead of 3.
 */
const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    const namespace = "builtin";
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      isBuiltin(path) ? { path, namespace, sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** Generates the OpenAPI document while bundling, so that bundles contain neither the generator nor the schemas. */
const generatedDocument: Plugin = {
  name: "generated-document",
  setup({ onLoad }) {
    onLoad({ filter: /shared[\\/]openapi[\\/]contents\.ts$/ }, async ({ path }) => {
      const { contents } = await import(pathToFileURL(path).href);
      return { contents: JSON.stringify({ contents }), loader: "json" };
    });
  },
};

/** Minified, with the AWS SDK included, because the runtime's own copy starts more slowly. */
const FOR_LAMBDA: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  platform: "node",
  target: "node24",
  format: "esm",
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "warning",
  define: { "process.env.BUNDLED": '"true"' }, // data files are read as they were prepared (`packages/safety/data-file.ts`)
  plugins: [lazyBuiltins, generatedDocument],
};

/**
 * One build bundles every file under `functions/`. It contains packages as they are published, except for what is named
 * here: always a whole package or a public entry point (`test/long/bundles.test.ts`).
 */
export const FUNCTIONS: BuildOptions & { metafile: true } = {
  ...FOR_LAMBDA,
  entryPoints: readdirSync(join(ROOT, "functions")).map((file) => {
    const name = basename(file, ".ts");
    return { in: `functions/${file}`, out: `${name}/index` };
  }),
  outdir: BUNDLES,
  outExtension: { ".js": ".mjs" },
  metafile: true,
  // The other sources of credentials (SSO, instance metadata, web identity, …) have clients of their own: 140 KB, 10
  // ms.
  alias: { "@aws-sdk/credential-provider-node": "./infra/bundling/environment-credentials.ts" },
  // Loaded for operations that stream events, of which DynamoDB and Secrets Manager have none: 20 KB.
  external: ["@smithy/core/event-streams"],
};

/**
 * Bundles the functions for Lambda and builds the web pages. The safety layer's data is added by `copySafetyData`.
 *
 * @returns the inputs of each bundle, with their sizes
 * @throws errors of esbuild
 */
async function bundle(): Promise<Metafile> {
  // Imported here, because the stack imports this file for its folders only, and generating the pages' contents takes
  // time.
  const { buildPages } = await import("../../web/build.ts");
  const [{ metafile }] = await Promise.all([build(FUNCTIONS), buildPages(BUNDLES)]);
  return metafile;
}

/** Bundles the deployment hook. It only starts a few times per deployment, so nothing is left out of the bundle. */
export async function bundleHook(): Promise<void> {
  await build({
    ...FOR_LAMBDA,
    entryPoints: ["infra/deployment-hook/handler.ts"],
    outfile: join(HOOK_BUNDLE, "index.mjs"),
  });
}

// `infra/app.ts` runs this file in a worker thread, to bundle while the CDK is loading.
parentPort?.postMessage(await bundle());
