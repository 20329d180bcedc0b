import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { ApiError, HealthAssistantClient, type Profile } from "../../packages/client/client.js";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { confirms, textOf } from "../terminal.ts";

const USAGE = `Shows and changes what a clinic says about itself: its country, hours, language and name.

  npm run profile -- show         prints the profile, and what applies to its patients
  npm run profile -- edit FILE    shows what the file would change, and asks. A file that does not exist is written first,
                                  with the present profile, for you to edit

  --base-url  of the service; http://127.0.0.1:3000/v1 by default. Its key is in API_KEY
  --yes       does not ask; without a terminal, nothing is changed without it, unless "y" is piped into it

Exit code: 0 if the service has the file's profile, or the file was written, 1 if not.
`;

async function main(): Promise<number> {
  const { values, positionals } = readArguments(USAGE, {
    options: {
      "base-url": { type: "string", default: "http://127.0.0.1:3000/v1" },
      yes: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const [command, file, ...more] = positionals;
  const isComplete = (command === "show" && file === undefined) || (command === "edit" && file !== undefined);
  if (!isComplete || more.length > 0) {
    usageError(USAGE, "Missing: show, or edit and one file.");
  }
  const client = new HealthAssistantClient({
    baseUrl: values["base-url"],
    apiKey: process.env.API_KEY ?? "local-dev-key",
  });
  if (file === undefined) {
    const { profile, applies } = await client.getProfile();
    process.stdout.write(`${textOfJson({ profile, applies })}\n`);
    return 0;
  }
  return edit(client, file, values.yes);
}

/** Makes the profile equal to a file, unless somebody else has changed it since it was compared. */
async function edit(client: HealthAssistantClient, file: string, yes: boolean): Promise<number> {
  let etag = "";
  const onHeaders = (headers: Headers) => {
    etag = headers.get("etag") ?? "";
  };
  const { profile: before } = await client.getProfile({ onHeaders });
  if (!existsSync(file)) {
    writeFileSync(file, `${textOfJson(before)}\n`);
    process.stdout.write(`${file} has the present profile. Edit it, and run this again.\n`);
    return 0;
  }
  const after = readProfileFile(file);
  const changes = changesBetween(before, after);
  process.stdout.write(changes.map((line) => `${line}\n`).join("") || "Nothing to change.\n");
  if (changes.length === 0) {
    return 0;
  }
  if (!yes && !(await confirms("Store this?"))) {
    return 1;
  }
  const { applies } = await client.putProfile(after, { ifMatch: etag });
  process.stdout.write(`Stored. Applies to patients: ${textOfJson(applies)}\n`);
  return 0;
}

/** @throws Error that names the file */
function readProfileFile(file: string): Profile {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** One line for each field that differs. */
function changesBetween(before: Profile, after: Profile): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Profile)[]);
  return [...names]
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => `${name}: ${shown(before[name])} → ${shown(after[name])}`);
}

const shown = (value: unknown) => (value === undefined ? "(none)" : JSON.stringify(value));
const textOfJson = (value: unknown) => JSON.stringify(value, null, 2);

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof ApiError ? textOf(error) : (error as Error).message}\n`);
  process.exitCode = 1;
}
