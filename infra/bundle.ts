import { readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, join } from "node:path";
import { build, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

/** Where each function's bundle lies, in a folder of its own: `<name>/index.mjs`. */
export const BUNDLES = join(ROOT, ".build", "functions");

/**
 * Bundles every file under `functions/` for Lambda: minified, the AWS SDK included (the runtime's own copy lies outside
 * the bundle and starts slower), one build for all of them.
 */
export async function bundleFunctions(): Promise<void> {
  const names = readdirSync(join(ROOT, "functions")).map((file) => basename(file, ".ts"));
  await build({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir: BUNDLES,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "warning",
    plugins: [lazyBuiltins],
  });
}

/**
 * Fetches Node's own modules by `process.getBuiltinModule` instead of `import`. An ES module import of `node:http`
 * builds a facade of all its exports, which loads undici: 23 ms of a cold start, against 3 ms this way.
 */
const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(node:.*|${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`);
    onResolve({ filter }, ({ path }) => ({ path: path.replace(/^node:/, ""), namespace: "builtin" }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};
