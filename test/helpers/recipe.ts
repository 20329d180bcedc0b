import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** Copies the files of this version to a folder. The installed packages are linked. */
export function cloneTo(clone: string): void {
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"], { cwd: ROOT });
  for (const file of files.toString().split("\0").filter(Boolean)) {
    cpSync(join(ROOT, file), join(clone, file));
  }
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
}

/** Turns the parts of the endpoint `get-thread` into those of a new one. */
const renamed = (text: string) =>
  text
    .replaceAll("get-thread", "peek-thread")
    .replaceAll("getThread", "peekThread")
    .replaceAll("GetThread", "PeekThread")
    .replace("/threads/{id}", "/threads/{id}/peek")
    .replace("threadPath(threadId)", `\`\${threadPath(threadId)}/peek\``);

/** Repeats parts of a file for the new endpoint. */
function repeat(clone: string, file: string, ...parts: RegExp[]): void {
  const before = readFileSync(join(clone, file), "utf8");
  const after = parts.reduce((text, part) => text.replace(part, (found) => found + renamed(found)), before);
  if (after === before) {
    throw new Error(`${file} has no part to repeat`);
  }
  writeFileSync(join(clone, file), after);
}

const copy = (clone: string, file: string) =>
  writeFileSync(join(clone, renamed(file)), renamed(readFileSync(join(clone, file), "utf8")));

const RULE = `  ...rulesOf("GET /threads/{id}/peek", {
    "of the thread: 200": async (target) => {
      const { threadId } = await linkedThread(target);
      await target.expect(\`GET /threads/\${threadId}/peek\`, 200, {});
    },
  }),
`;

/** What CONTRIBUTING.md names for a new endpoint, by the file, with what each step does in a clone. */
export const RECIPE: Record<string, (clone: string) => void> = {
  "shared/threads/endpoints.ts": (clone) =>
    repeat(
      clone,
      "shared/threads/endpoints.ts",
      /export const getThreadEndpoint = [\s\S]*?satisfies Endpoint;\n/,
      / {2}getThreadEndpoint,\n/,
    ),
  "shared/threads/docs.ts": (clone) =>
    repeat(clone, "shared/threads/docs.ts", /\n {2}"get-thread": \{[\s\S]*?\n {2}\},\n/),
  "its use case": (clone) => copy(clone, "shared/threads/get-thread.ts"),
  "functions/": (clone) => copy(clone, "functions/get-thread.ts"),
  "packages/client/client.js": (clone) =>
    repeat(
      clone,
      "packages/client/client.js",
      / GetThreadResult,/,
      / {2}\/\*\*\n(?: {3}\*.*\n)+ {2}getThread\([\s\S]*?\n {2}\}\n\n/,
    ),
  "npm run client:types": (clone) => {
    execFileSync(process.execPath, ["tools/client/generate-types.ts"], { cwd: clone });
  },
  "shared/live-check/rules/": (clone) => {
    const file = join(clone, "shared/live-check/rules/threads.ts");
    const before = '  ...rulesOf("GET /threads/{id}/messages"';
    writeFileSync(file, readFileSync(file, "utf8").replace(before, RULE + before));
  },
  "docs/performance.md": (clone) => repeat(clone, "docs/performance.md", /\| get-thread \|.*\n/),
  "test/unit/http/render.test.ts": (clone) => repeat(clone, "test/unit/http/render.test.ts", / {2}\["get-thread",.*\n/),
};
