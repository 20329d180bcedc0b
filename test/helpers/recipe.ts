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

function generateTypes(clone: string): void {
  execFileSync(process.execPath, ["tools/client/generate-types.ts"], { cwd: clone });
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
  "npm run client:types": generateTypes,
  "shared/live-check/rules/": (clone) => {
    const file = join(clone, "shared/live-check/rules/threads.ts");
    const before = '  ...rulesOf("GET /threads/{id}/messages"';
    writeFileSync(file, readFileSync(file, "utf8").replace(before, RULE + before));
  },
  "docs/performance.md": (clone) => repeat(clone, "docs/performance.md", /\| get-thread \|.*\n/),
  "test/unit/http/render.test.ts": (clone) => repeat(clone, "test/unit/http/render.test.ts", / {2}\["get-thread",.*\n/),
};

/** Inserts lines before the first place of a text in a file. */
function insert(clone: string, file: string, place: string, lines: string): void {
  const before = readFileSync(join(clone, file), "utf8");
  if (!before.includes(place)) {
    throw new Error(`${file} has no ${place}`);
  }
  writeFileSync(
    join(clone, file),
    before.replace(place, () => lines + place),
  );
}

/** Changes a file of JSON. */
function change<T>(clone: string, file: string, make: (content: T) => void): void {
  const content = JSON.parse(readFileSync(join(clone, file), "utf8")) as T;
  make(content);
  writeFileSync(join(clone, file), JSON.stringify(content, undefined, 2));
}

interface Recipe {
  /** What each step does in a clone, by what CONTRIBUTING.md calls it. */
  steps: Record<string, (clone: string) => void>;
  /** A module that is run in the clone, and prints JSON. */
  program: string;
  printed: unknown;
}

/** Further recipes, by how CONTRIBUTING.md calls them. */
export const RECIPES: Record<string, Recipe> = {
  "A new setting of the functions": {
    steps: {
      "infra/settings-schema.ts": (clone) =>
        insert(
          clone,
          "infra/settings-schema.ts",
          "  /** Where it is said that answers come from an AI",
          '  farewell: inVariable("FAREWELL", text().default("Goodbye."), "clinic"),\n',
        ),
      "shared/environment.ts": (clone) =>
        insert(clone, "shared/environment.ts", '  | "AI_DISCLOSURE"', '  | "FAREWELL"\n'),
    },
    program: `
      import { readSettings } from "./infra/settings.ts";
      import { readSettings as readLocalSettings } from "./local/settings.ts";
      const { farewell } = readSettings({ farewell: "Bye." });
      console.log(JSON.stringify([readSettings({}).farewell, farewell, readLocalSettings({ FAREWELL: "Adieu." }).variables]));`,
    printed: ["Goodbye.", "Bye.", { FAREWELL: "Adieu." }],
  },
  "A new event type": {
    steps: {
      "shared/events/event.ts": (clone) =>
        insert(clone, "shared/events/event.ts", '  "profile.updated",', '  "profile.read",\n'),
      "web/playground/browser/webhook-inbox.ts": (clone) =>
        insert(
          clone,
          "web/playground/browser/webhook-inbox.ts",
          '  "profile.updated": true,',
          '  "profile.read": true,\n',
        ),
      "npm run client:types": generateTypes,
    },
    program: `
      import { readFileSync } from "node:fs";
      import { createWebhookRequest } from "./shared/events/webhook-requests.ts";
      const accepts = (type) => createWebhookRequest.safeParse({ url: "https://example.org", events: [type] }).success;
      const isTyped = readFileSync("packages/client/schemas.d.ts", "utf8").includes('"profile.read"');
      console.log(JSON.stringify([accepts("profile.read"), accepts("profile.written"), isTyped]));`,
    printed: [true, false, true],
  },
  "A new caution": {
    steps: {
      "packages/safety/data/cautions.json": (clone) =>
        change<{ allergies: object[] }>(clone, "packages/safety/data/cautions.json", ({ allergies }) =>
          allergies.push({ group: "paracetamol", drugs: "paracetamol", source: "its label", review: "pending" }),
        ),
    },
    program: `
      import { findCautions } from "./packages/safety/cautions.ts";
      const found = findCautions({ allergies: "paracetamol" }, "May I take paracetamol?", "Yes.", { messages: [], cautions: [] });
      console.log(JSON.stringify(found.map(({ drug }) => drug)));`,
    printed: ["paracetamol"],
  },
  "A new phrase that says danger": {
    steps: {
      "packages/safety/data/languages": (clone) =>
        change<{ likely: Record<string, string[][][]> }>(
          clone,
          "packages/safety/data/languages/de.json",
          ({ likely }) => likely.cardiac?.push([["herz klingelt"]]),
        ),
    },
    program: `
      import { screen } from "./packages/safety/screen.ts";
      console.log(JSON.stringify(screen("Mein Herz klingelt seit heute", []).finding?.certainty));`,
    printed: "likely",
  },
};
