import { readArguments, usageError } from "../../shared/command-line.ts";
import { liveCheck, type Row, Unreachable } from "../../shared/live-check/live-check.ts";

const USAGE = `Verifies that a deployed or local service works: each operation, the API key, the headers, streaming, and the published
OpenAPI document.

  npm run check:live -- --base-url https://…/v1 --api-key …

  --base-url   base URL of the service (or CHECK_BASE_URL)
  --api-key    an API key of the service (or CHECK_API_KEY, which keeps it out of the process list)

It calls the model five times, and deletes the threads and the synthetic patients that it creates.
Exit code: 0 if all rules pass, 1 if any rule fails, 2 if the check could not run.
`;

async function main(): Promise<number> {
  const { baseUrl, apiKey } = readOptions();
  const abort = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => abort.abort(new Error("The check was stopped, and what it had created was deleted.")));
  }
  process.stdout.write(`Live check of ${baseUrl}\n\n`);
  const rows: Row[] = [];
  for await (const row of liveCheck({ baseUrl, apiKey, signal: abort.signal })) {
    const { rule, fault } = row;
    process.stdout.write(fault === undefined ? `  ok    ${rule}\n` : `  FAIL  ${rule}\n          ${fault}\n`);
    rows.push(row);
  }
  const failed = rows.filter(({ fault }) => fault !== undefined);
  process.stdout.write(`\n${rows.length} rules: ${rows.length - failed.length} passed, ${failed.length} failed.\n`);
  if (rows.length === 1) {
    process.stdout.write("No other rule was run, because the key is not accepted.\n");
  }
  return failed.length === 0 ? 0 : 1;
}

function readOptions(): { baseUrl: string; apiKey: string } {
  const options = { "base-url": { type: "string" }, "api-key": { type: "string" } } as const;
  const { values } = readArguments(USAGE, { options });
  const baseUrl = values["base-url"] ?? process.env.CHECK_BASE_URL;
  const apiKey = values["api-key"] ?? process.env.CHECK_API_KEY;
  if (!baseUrl || !apiKey) {
    usageError(USAGE, `${baseUrl ? "--api-key" : "--base-url"} is missing.`);
  }
  if (!/^https?:\/\/[^@]+$/.test(baseUrl) || !URL.canParse(baseUrl)) {
    usageError(USAGE, "--base-url must be an http or https address without a password.");
  }
  return { baseUrl, apiKey };
}

try {
  process.exitCode = await main();
} catch (error) {
  const why = (error as Error).message;
  process.stderr.write(
    error instanceof Unreachable
      ? `The service cannot be reached: ${why}. Check the base URL and that the service is running.\n`
      : `${why}\n`,
  );
  process.exitCode = 2;
}
