import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ApiError, HealthAssistantClient, type PutSourceRequest } from "../../packages/client/client.js";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { confirms, textOf } from "../terminal.ts";
import { readSourceFile, writeSourceFile } from "./source-file.ts";

const USAGE = `Makes a service's sources equal to a directory of Markdown files with front matter, which can be kept in git.

  npm run sources -- sync DIRECTORY    shows what would change, and asks
  npm run sources -- save DIRECTORY    writes the service's sources to a new directory

  --base-url  of the service; http://127.0.0.1:3000/v1 by default. Its key is in API_KEY
  --yes       does not ask; without a terminal, nothing is changed without it, unless "y" is piped into it

A file's name, without .md, is the source's id. The front matter has the fields title, url, language, reviewedBy, reviewedAt and
expiresAt. A source without a file is deleted by sync. Exit code: 0 if the service has the directory's sources, 1 if not.
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
  if ((command !== "sync" && command !== "save") || directory === undefined || more.length > 0) {
    usageError(USAGE, "Missing: sync or save, and one directory.");
  }
  const client = new HealthAssistantClient({
    baseUrl: values["base-url"],
    apiKey: process.env.API_KEY ?? "local-dev-key",
  });
  return command === "save" ? save(client, directory) : sync(client, directory, values.yes);
}

/** Writes each source to a file of a new directory. */
async function save(client: HealthAssistantClient, directory: string): Promise<number> {
  naming(directory, () => mkdirSync(directory)); // not into one that exists, where a file would be replaced
  const { sources } = await client.listSources();
  for (const { id } of sources) {
    const { source } = await client.getSource(id);
    const { id: _, bytes: __, expired: ___, updatedAt: ____, ...stored } = source;
    writeFileSync(join(directory, `${id}.md`), writeSourceFile(stored));
  }
  process.stdout.write(`${sources.length} saved.\n`);
  return 0;
}

async function sync(client: HealthAssistantClient, directory: string, yes: boolean): Promise<number> {
  const steps = await compare(client, readDirectory(directory));
  for (const { kind, id } of steps) {
    process.stdout.write(`${kind} ${id}\n`);
  }
  if (steps.length === 0) {
    process.stdout.write("Nothing to change.\n");
    return 0;
  }
  if (!yes && !(await confirms("Carry this out?"))) {
    return 1;
  }
  // Deletions first: they make room for what is new.
  for (const step of steps.toSorted((one, other) => Number(other.kind === "delete") - Number(one.kind === "delete"))) {
    await carryOut(client, step).catch((error: unknown) => {
      throw new Error(`${join(directory, `${step.id}.md`)}: cannot ${step.kind} it: ${textOf(error)}`, {
        cause: error,
      });
    });
  }
  process.stdout.write(`${steps.length} done.\n`);
  return 0;
}

/**
 * Reads the sources of a directory by their ids.
 *
 * @throws Error that names the directory, or the file that cannot be read
 */
function readDirectory(directory: string): Map<string, PutSourceRequest> {
  const files = naming(directory, () => readdirSync(directory)).filter((file) => extname(file) === ".md");
  return new Map(
    files.map((file) => {
      const path = join(directory, file);
      const { id, ...source } = naming(path, () => readSourceFile(basename(file, ".md"), readFileSync(path, "utf8")));
      return [id, source];
    }),
  );
}

/** Does something with a file. @throws Error that begins with its path */
function naming<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [line] = message.split("\n"); // YAML's next ones quote the file
    throw new Error(`${path}: ${code === "ENOENT" ? "there is no such directory" : line}`, { cause: error });
  }
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

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof ApiError ? textOf(error) : (error as Error).message}\n`);
  process.exitCode = 1;
}
