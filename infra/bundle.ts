import { readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

/** Where each function's bundle lies, in a folder of its own: `<name>/index.mjs`. */
export const BUNDLES = join(ROOT, ".build", "functions");

/**
 * Bundles every file under `functions/` for Lambda: minified, the AWS SDK included (the runtime's own copy lies outside
 * the bundle and starts slower), one build for all of them.
 *
 * @returns what went into each bundle, and how many bytes of it
 * @throws esbuild's errors; an Error when something that is replaced here is not there any more
 */
export async function bundleFunctions(): Promise<Metafile> {
  const names = readdirSync(join(ROOT, "functions")).map((file) => basename(file, ".ts"));
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir: BUNDLES,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    minify: true,
    metafile: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "warning",
    plugins: [lazyBuiltins, replaceUnused],
  });
  return metafile;
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

/**
 * Packages of the AWS SDK that these functions load and never use, by the names they are imported under, with what
 * stands in for them.
 */
const REPLACED: Record<string, string> = {
  // Lambda hands a role's credentials over in environment variables ("Defined runtime environment variables"); the
  // other providers (SSO, instance metadata, web identity, …) bring clients of their own along: 100 KB.
  "@aws-sdk/credential-provider-node": `
    import { fromEnv } from "@aws-sdk/credential-provider-env";
    export const defaultProvider = fromEnv;`,
  // A cache for endpoints that a service may announce; DynamoDB's are not asked for.
  "@aws-sdk/endpoint-cache": "export class EndpointCache {}",
  // Operations that stream events; neither DynamoDB's nor Secrets Manager's do.
  "@smithy/core/event-streams": "export {};",
};

/** Puts the replacements of {@link REPLACED} in place, and fails the build when one of them is imported no longer. */
const replaceUnused: Plugin = {
  name: "replace-unused",
  setup({ onResolve, onLoad, onEnd }) {
    const missing = new Set(Object.keys(REPLACED));
    const filter = new RegExp(`^(${Object.keys(REPLACED).join("|")})$`);
    onResolve({ filter }, ({ path }) => {
      missing.delete(path);
      return { path, namespace: "replaced" };
    });
    onLoad({ filter: /.*/, namespace: "replaced" }, ({ path }) => ({
      contents: REPLACED[path] ?? "",
      resolveDir: ROOT,
    }));
    // The client takes nothing of its package file but the version.
    onLoad({ filter: /@aws-sdk.client-[\w-]+.package\.json$/ }, async ({ path }) => {
      const { default: packageFile } = await import(path, { with: { type: "json" } });
      return { contents: JSON.stringify({ version: packageFile.version }), loader: "json" };
    });
    onEnd(() => {
      if (missing.size > 0) {
        throw new Error(`The bundles import no longer what infra/bundle.ts replaces: ${[...missing].join(", ")}.`);
      }
    });
  },
};
