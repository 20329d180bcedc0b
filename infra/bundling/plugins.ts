import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { build, type Plugin } from "esbuild";

/**
 * Loads Node's built-in modules with `process.getBuiltinModule` instead of `import`. An ES module import of `node:http`
 * builds a facade of all its exports, which loads undici: 23 ms of a cold start instead of 3 ms.
 *
 * Every export is a separate constant, of which esbuild keeps those that are used. If the module were assigned to
 * `module.exports`, each importing file would copy all of its properties.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: "lazy-builtins",
    setup({ onResolve, onLoad }) {
      const names = builtinModules.filter((name) => !name.startsWith("_"));
      onResolve({ filter: new RegExp(`^(node:.*|${names.join("|")})$`) }, ({ path, kind }) => ({
        path: path.replace(/^node:/, ""),
        namespace: kind === "import-statement" ? "builtin" : "whole-builtin",
        sideEffects: false,
      }));
      onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
        contents: [
          `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
          "const get = (name) => builtin[name];",
          "export default builtin;",
          ...Object.keys(process.getBuiltinModule(path) ?? {}).map(
            (name, index) => `const b${index} = /* @__PURE__ */ get("${name}"); export { b${index} as "${name}" };`,
          ),
        ].join("\n"),
        loader: "js",
      }));
      onLoad({ filter: /.*/, namespace: "whole-builtin" }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
        loader: "js",
      }));
    },
  };
}

/**
 * Replaces packages with other code. The build fails if one of them is no longer imported, because its replacement must
 * then be removed or updated.
 *
 * @param packages import name → code
 * @param root the directory from which imports in that code are resolved
 */
export function replacePackages(packages: Record<string, string>, root: string): Plugin {
  return {
    name: "replace-packages",
    setup({ onResolve, onLoad, onEnd }) {
      const missing = new Set(Object.keys(packages));
      onResolve({ filter: new RegExp(`^(${Object.keys(packages).join("|")})$`) }, ({ path }) => {
        missing.delete(path);
        return { path, namespace: "replaced" };
      });
      onLoad({ filter: /.*/, namespace: "replaced" }, ({ path }) => ({
        contents: packages[path] ?? "",
        resolveDir: root,
      }));
      onEnd(() => failFor([...missing]));
    },
  };
}

const LEFT_OUT = "left-out";

/** The replacement for a function or class that is left out. */
const LEFT_OUT_SOURCE = `export function leftOut(name) {
  const fail = () => {
    throw Error(name + " is left out of this bundle (infra/bundling/bundle.ts)");
  };
  return function () {
    if (!new.target) fail();
    return new Proxy(this, { get: (own, key) => key in own || typeof key == "symbol" ? own[key] : fail() });
  };
}`;

/**
 * Empties package files. Their exports can still be imported and extended, and constructed with `new`, because the model's
 * SDK constructs all of its resources at once. Calling an export, or using such an object, throws an error that names it.
 * The build fails if a pattern no longer matches any file.
 *
 * @param patterns the files' paths
 * @param kept exports that are called even if their feature is not used: name → the code that replaces them
 */
export function emptyFiles(patterns: RegExp[], kept: Record<string, string> = {}): Plugin {
  return {
    name: "empty-files",
    setup({ onResolve, onLoad, onEnd }) {
      const missing = new Set(patterns);
      onLoad({ filter: /node_modules/ }, async ({ path }) => {
        const pattern = patterns.find((candidate) => candidate.test(path));
        if (!pattern) {
          return undefined;
        }
        missing.delete(pattern);
        const exported = (await exportsOf(path)).map((name, index) =>
          kept[name] ? `export const ${name} = ${kept[name]};` : leftOutExport(name, index),
        );
        return { contents: [`import { leftOut } from "${LEFT_OUT}";`, ...exported].join("\n"), loader: "js" };
      });
      onResolve({ filter: new RegExp(`^${LEFT_OUT}$`) }, () => ({ path: LEFT_OUT, namespace: LEFT_OUT }));
      onLoad({ filter: /.*/, namespace: LEFT_OUT }, () => ({ contents: LEFT_OUT_SOURCE, loader: "js" }));
      onEnd(() => failFor([...missing].map(String)));
    },
  };
}

/**
 * Removes errors from AWS clients: an error that is not registered is dropped together with its schema. The build fails
 * if a client no longer has an error that is to be kept.
 *
 * @param kept client → the names of its errors
 */
export function keepErrors(kept: Record<string, string[]>): Plugin {
  return {
    name: "keep-errors",
    setup({ onLoad, onEnd }) {
      const missing = new Set(
        Object.entries(kept).flatMap(([client, names]) => names.map((name) => `${client} ${name}`)),
      );
      for (const client of Object.keys(kept)) {
        onLoad({ filter: new RegExp(`@aws-sdk/${client}/.*/schemas_0\\.js$`) }, async ({ path }) => {
          const source = await readFile(path, "utf8");
          const contents = source.replaceAll(/^n0_registry\.registerError\(\w+\$, (\w+)\);$/gm, (line, name) =>
            missing.delete(`${client} ${name}`) ? line : "",
          );
          return { contents, loader: "js" };
        });
      }
      onEnd(() => failFor([...missing]));
    },
  };
}

/**
 * Replaces the rules that AWS clients use to find their endpoints with `regional-endpoint.ts`.
 *
 * @param services client → the service's name in host names
 */
export function regionalEndpoints(services: Record<string, string>): Plugin {
  return {
    name: "regional-endpoints",
    setup({ onLoad, onEnd }) {
      const missing = new Set(Object.keys(services));
      for (const [client, service] of Object.entries(services)) {
        onLoad({ filter: new RegExp(`@aws-sdk/${client}/.*/endpointResolver\\.js$`) }, () => {
          missing.delete(client);
          return {
            contents: `import { regionalEndpoint } from "./regional-endpoint.ts";
              export const defaultEndpointResolver = regionalEndpoint(${JSON.stringify(service)});`,
            resolveDir: import.meta.dirname,
          };
        });
      }
      onEnd(() => failFor([...missing]));
    },
  };
}

/**
 * Evaluates modules whose exports are JSON values while bundling, so that the bundle contains only their values. The build
 * fails if one of them is no longer imported.
 *
 * @param patterns the modules' paths
 */
export function evaluatedModules(patterns: RegExp[]): Plugin {
  return {
    name: "evaluated-modules",
    setup({ onLoad, onEnd }) {
      const missing = new Set(patterns);
      for (const filter of patterns) {
        onLoad({ filter }, async ({ path }) => {
          missing.delete(filter);
          // A JSON text is parsed several times faster than an object literal.
          const values = Object.entries(await import(path)).map(
            ([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))});`,
          );
          return { contents: values.join("\n"), loader: "js" };
        });
      }
      onEnd(() => failFor([...missing].map(String)));
    },
  };
}

/** Reduces the `package.json` of this project and of the SDK clients to the version, the only part that is used. */
export function versionsOnly(): Plugin {
  return {
    name: "versions-only",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
        const { default: packageFile } = await import(path, { with: { type: "json" } });
        return { contents: JSON.stringify({ version: packageFile.version }), loader: "json" };
      });
    },
  };
}

async function exportsOf(path: string): Promise<string[]> {
  const { metafile } = await build({ entryPoints: [path], outdir: ".", metafile: true, write: false, format: "esm" });
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports);
}

function leftOutExport(name: string, index: number): string {
  const call = `/* @__PURE__ */ leftOut(${JSON.stringify(name)})`;
  return name === "default"
    ? `export default ${call};`
    : `const f${index} = ${call};\nexport { f${index} as ${name} };`;
}

function failFor(missing: string[]): void {
  if (missing.length > 0) {
    throw new Error(`The bundles no longer contain what infra/bundling/bundle.ts leaves out: ${missing.join(", ")}.`);
  }
}
