import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { isDeepStrictEqual } from "node:util";
import { ApiError, HealthAssistantClient } from "../../client/client.js";
import type { PutSourceRequest } from "../../client/schemas.d.ts";
import { readArguments, usageError } from "../command-line.ts";
import { readSourceFile } from "./source-file.ts";

const USAGE = `Makes a service's sources equal to a directory of Markdown files with front matter, which can be kept in git.

  npm run sources -- sync DIRECTORY    shows what would change, and asks

  --base-url  of the service; http://127.0.0.1:3000/v1 by default. Its key is in API_KEY
  --yes       does not ask

A file's name, without .md, is the source's id. The front matter has the fields title, url, language, reviewedBy, reviewedAt and
expiresAt. A source without a file is deleted. Exit code: 0 if the service has the directory's sources, 1 if not.
`;

/** What has to be done for one source. */
type Step = { id: string } & (
  | { kind: "create"; source: PutSourceRequest }
  | { kind: "change"; source: PutSourceRequest; etag: string }
  | { kind: "delete"; etag: string }
);

const OPTIONS = {
  "base-url": { type: "string", default: "http://127.0.0.1:3000/v1" },
  yes: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = readArguments(USAGE, { options: OPTIONS, allowPositionals: true });
  const [command, directory, ...more] = positionals;
  if (command !== "sync" || directory === undefined || more.length > 0) {
    usageError(USAGE, "Missing: sync, and one directory.");
  }
  const client = new HealthAssistantClient({
    baseUrl: values["base-url"],
    apiKey: process.env.API_KEY ?? "local-dev-key",
  });
  const steps = await compare(client, readDirectory(directory));
  for (const { kind, id } of steps) {
    process.stdout.write(`${kind} ${id}\n`);
  }
  if (steps.length === 0) {
    process.stdout.write("Nothing to change.\n");
    return 0;
  }
  if (!values.yes && !(await confirmed())) {
    process.stdout.write("Nothing was changed.\n");
    return 1;
  }
  // Deletions first: they make room for what is new.
  for (const step of steps.toSorted((one, other) => Number(other.kind === "delete") - Number(one.kind === "delete"))) {
    await carryOut(client, step);
  }
  process.stdout.write(`${steps.length} done.\n`);
  return 0;
}

/** Reads the sources of a directory by their ids. */
function readDirectory(directory: string): Map<string, PutSourceRequest> {
  const files = readdirSync(directory).filter((file) => extname(file) === ".md");
  return new Map(
    files.map((file) => {
      const { id, ...source } = readSourceFile(basename(file, ".md"), readFileSync(join(directory, file), "utf8"));
      return [id, source];
    }),
  );
}

/** Compares the directory with the service. A list has no texts, so each source is read. */
async function compare(client: HealthAssistantClient, wanted: Map<string, PutSourceRequest>): Promise<Step[]> {
  const { sources } = await client.listSources();
  const stored = new Set(sources.map(({ id }) => id));
  const steps: Step[] = [];
  for (const id of stored) {
    let etag = "";
    const onHeaders = (headers: Headers) => {
      etag = headers.get("etag") ?? "";
    };
    const { source } = await client.getSource(id, { onHeaders });
    const { id: _, bytes: __, expired: ___, updatedAt: ____, ...current } = source;
    const target = wanted.get(id);
    if (!target) {
      steps.push({ kind: "delete", id, etag });
    } else if (!isDeepStrictEqual(current, target)) {
      steps.push({ kind: "change", id, source: target, etag });
    }
  }
  const added = [...wanted].filter(([id]) => !stored.has(id));
  return [...steps, ...added.map(([id, source]): Step => ({ kind: "create", id, source }))];
}

/** A source that somebody else has changed since it was compared is left alone. */
async function carryOut(client: HealthAssistantClient, step: Step): Promise<void> {
  if (step.kind === "delete") {
    await client.deleteSource(step.id, { ifMatch: step.etag });
  } else {
    await client.putSource(step.id, step.source, step.kind === "change" ? { ifMatch: step.etag } : {});
  }
}

async function confirmed(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("Carry this out? [y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

try {
  process.exitCode = await main();
} catch (error) {
  const details = error instanceof ApiError ? JSON.stringify(error.details ?? "") : "";
  process.stderr.write(`${(error as Error).message} ${details}\n`);
  process.exitCode = 1;
}
