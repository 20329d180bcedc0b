import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { explain, OperationError } from "../aws/explain.ts";
import { patientsTable, readStack, stackNames } from "../aws/stack.ts";
import { readArguments, usageError } from "../command-line.ts";
import { copyPatients } from "./copy-patients.ts";
import { startRestore, waitForTable } from "./drill.ts";
import { FORMAT, type Kind, survey } from "./items.ts";
import { verify } from "./verify.ts";

const USAGE = `Restores patients, phone locks and erasures into a stack from a table that was restored from a backup.

  npm run restore -- --from TABLE --stage STAGE   copies the items that the stage's table lacks, and verifies the counts
  npm run restore -- --drill --stage STAGE        restores a copy by point-in-time recovery, verifies it, deletes it

  --to         the table to restore into, instead of the stage's
  --overwrite  also replaces existing items; stop all writes first
  --endpoint   the endpoint of another DynamoDB, with --from and --to

It prints how long each step took. Patients who were erased after the backup stay erased. It understands items of format ${FORMAT};
if a table has others, it copies nothing (docs/decisions.md, "Changing what is stored").
Exit code: 0 if all counts are correct, 1 if not, 2 for an invalid command line.
`;

/** A copy can be faster than a new on-demand table accepts; the SDK then slows down. */
const RETRIES = { retryMode: "adaptive", maxAttempts: 10 };

const OPTIONS = {
  from: { type: "string" },
  to: { type: "string" },
  stage: { type: "string" },
  endpoint: { type: "string" },
  overwrite: { type: "boolean", default: false },
  drill: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const { values: options } = readArguments(USAGE, { options: OPTIONS });
  if (options.drill ? !options.stage : !options.from || !(options.to || options.stage)) {
    usageError(USAGE, options.drill ? "--drill needs --stage." : "Missing: --from, and --stage or --to.");
  }
  const { from = "", stage = "", endpoint, overwrite } = options;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...RETRIES, ...(endpoint && { endpoint }) }));
  const table =
    options.to ?? patientsTable((await readStack(new CloudFormationClient(), stackNames(stage).data)).resources);
  return options.drill ? drill(client, table) : restore(client, { from, to: table, overwrite });
}

async function restore(
  client: DynamoDBDocumentClient,
  { from, to, overwrite }: { from: string; to: string; overwrite: boolean },
): Promise<number> {
  const erased = await timed("read the formats and the erasures", async () => {
    const [before, since] = [await readable(client, from), await readable(client, to)];
    return new Set([...before, ...since]);
  });
  const copied = await timed("copy", () => copyPatients(client, { from, to, erased, overwrite }));
  for (const kind of Object.keys(copied.found) as Kind[]) {
    const [found, written, present, gone] = [copied.found, copied.written, copied.present, copied.erased].map(
      (counts) => counts[kind],
    );
    print(`  ${kind}: ${found} found, ${written} written, ${present} already there, ${gone} erased since`);
  }
  return check(client, from, to);
}

/**
 * @returns the patients who were erased, according to the table
 * @throws OperationError when the table has items that this version cannot read
 */
async function readable(client: DynamoDBDocumentClient, table: string): Promise<Set<string>> {
  const { erased, flaws } = await survey(client, table);
  const list = Object.entries(flaws).map(([flaw, count]) => `${count} with ${flaw}`);
  if (list.length > 0) {
    throw new OperationError(
      `The table ${table} has items of a format that this version does not understand: ${list.join(", ")}. It understands ` +
        `format ${FORMAT}. Nothing was copied; use the version that wrote these items.`,
    );
  }
  return erased;
}

async function check(client: DynamoDBDocumentClient, from: string, to: string): Promise<number> {
  const { counts, faults } = await timed("verify", () => verify(client, from, to));
  const list = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  print(`  the table has ${list.join(", ")}`);
  print(faults.length === 0 ? "All counts are correct." : `Wrong: ${faults.join("; ")}.`);
  return faults.length === 0 ? 0 : 1;
}

async function drill(client: DynamoDBDocumentClient, table: string): Promise<number> {
  const copy = `${table}-drill`;
  await timed("start the restore", () => startRestore(client, table, copy));
  try {
    await timed("wait for the table", () => waitForTable(client, copy));
    await timed("read the formats", () => readable(client, copy));
    // The copy lacks what was written after its restore point, so it is only checked for consistency.
    return await check(client, copy, copy);
  } finally {
    await timed("delete the copy", () => client.send(new DeleteTableCommand({ TableName: copy })));
  }
}

async function timed<T>(step: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await run();
  print(`${step}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${explain(error, "table")}\n`);
  process.exitCode = 1;
}
