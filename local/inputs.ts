import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";

/**
 * The names in the project folder that are not part of the template. Everything else counts, whether it is used or not,
 * so that a new file needs no entry here. Names that start with a dot are not part of it either, nor logs, such as that
 * of `npm start > start.log`, which grow meanwhile.
 */
const NO_INPUTS = [
  "node_modules",
  "cdk.out",
  "docs",
  "examples",
  "test",
  "tools",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "README.md",
];

/** What a package's modules at run time do not read. */
const OWN_OF_PACKAGE = /^packages[\\/][^\\/]+[\\/](?:test|training)[\\/]/;

/**
 * Returns a hash over all inputs of a synthesized template and its bundles: the project's files by content, the
 * installed packages by their lock files, the version of Node, and the CDK context. A manual change inside an installed
 * package is not detected.
 *
 * @param root the project's folder
 * @param context values as `-c name=value` gives them
 */
export function hashInputs(root: string, context: Record<string, unknown>): string {
  const hash = createHash("sha256");
  const add = (name: string, content: string | Buffer) => hash.update(`${name}\0${content.length}\0`).update(content);
  const cdkVariables = Object.entries(process.env).filter(([name]) => name.startsWith("CDK_"));
  add("versions", JSON.stringify([process.version, process.platform, process.arch]));
  add("context", JSON.stringify([Object.entries(context).sort(), cdkVariables.sort()]));
  const texts = new Set([context.safetyTexts]);
  for (const path of [...filesOf(root), join(homedir(), ".cdk.json")]) {
    if (existsSync(path)) {
      const content = readFileSync(path);
      add(path, content);
      if (dirname(path) === join(root, "infra", "stages")) {
        texts.add(JSON.parse(content.toString()).safetyTexts);
      }
    }
  }
  for (const path of texts) {
    if (typeof path === "string" && existsSync(path)) {
      add(path, readFileSync(path)); // may be anywhere
    }
  }
  return hash.digest("hex").slice(0, 32);
}

function filesOf(root: string): string[] {
  const top = readdirSync(root).filter((name) => !name.startsWith(".") && !NO_INPUTS.includes(name));
  const places = [...top, join("node_modules", ".package-lock.json")];
  return places
    .flatMap((place) => globSync([place, `${place}/**/*`], { cwd: root, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".log"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !OWN_OF_PACKAGE.test(relative(root, path)))
    .sort();
}
