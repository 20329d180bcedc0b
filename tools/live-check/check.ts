import { parseArgs } from "node:util";
import { liveCheck, Unreachable } from "./live-check.ts";
import { closing, heading, lines } from "./report.ts";

const USAGE = `Plays the whole contract of the interface against a deployed or local service.

  npm run check:live -- --base-url https://…/v1 --api-key …

  --base-url   the service's base address (or CHECK_BASE_URL)
  --api-key    a key of the service (or CHECK_API_KEY, which keeps it out of the process list)

It asks the model four times, deletes the threads it opens, and leaves one synthetic patient behind.
Exit code: 0 when all is as the contract says, 1 when it is not, 2 when the check could not be played.
`;

async function main(): Promise<number> {
  const { baseUrl, apiKey } = readOptions();
  if (!baseUrl || !apiKey) {
    process.stderr.write(USAGE);
    return 2;
  }
  const abort = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => abort.abort(new Error("The check was ended; what it had opened is deleted.")));
  }
  process.stdout.write(heading(baseUrl));
  const rows = [];
  for await (const row of liveCheck({ baseUrl, apiKey, signal: abort.signal })) {
    process.stdout.write(lines(row, rows.at(-1)));
    rows.push(row);
  }
  process.stdout.write(closing(rows));
  return rows.every(({ outcome }) => outcome === "ok") ? 0 : 1;
}

/** Undefined for what is not given. A command line that cannot be read is not repeated: it may hold the key. */
function readOptions(): { baseUrl?: string | undefined; apiKey?: string | undefined } {
  const options = { "base-url": { type: "string" }, "api-key": { type: "string" } } as const;
  try {
    const { values } = parseArgs({ options });
    return {
      baseUrl: values["base-url"] ?? process.env.CHECK_BASE_URL,
      apiKey: values["api-key"] ?? process.env.CHECK_API_KEY,
    };
  } catch {
    return {};
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const why = (error as Error).message;
  process.stderr.write(
    error instanceof Unreachable
      ? `The address cannot be reached: ${why}. Is it right, and does the service run?\n`
      : `${why}\n`,
  );
  process.exitCode = 2;
}
