import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { readArguments, usageError } from "../command-line.ts";
import { AwsError } from "../deploy/aws.ts";
import { copyPatients, erasedIds, type Kind } from "./copy-patients.ts";
import { deleteTable, patientsTable, startRestore, waitForTable } from "./drill.ts";
import { verify } from "./verify.ts";

const USAGE = `Restores patients, phone locks and erasures into a stack from a table that was restored from a backup.

  npm run restore -- --from TABLE --stage STAGE   copies the items that the stage's table lacks, and verifies the counts
  npm run restore -- --drill --stage STAGE        restores a copy by point-in-time recovery, verifies it, deletes it

  --to         the table to restore into, instead of the stage's
  --overwrite  also replaces existing items; stop all writes first
  --endpoint   the endpoint of another DynamoDB, with --from and --to

It prints how long each step took. Patients who were erased after the backup stay erased.
Exit code: 0 if all counts are correct, 1 if not, 2 for an invalid command line.
`;

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
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(endpoint ? { endpoint } : {}));
  if (options.drill) {
    return drill(client, stage);
  }
  const to = options.to ?? (await patientsTable(stage)).table;
  return restore(client, { from, to, overwrite });
}

async function restore(
  client: DynamoDBDocumentClient,
  { from, to, overwrite }: { from: string; to: string; overwrite: boolean },
): Promise<number> {
  const erased = await timed("read the erasures", async () => {
    const [before, since] = [await erasedIds(client, from), await erasedIds(client, to)];
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

async function check(client: DynamoDBDocumentClient, from: string, to: string): Promise<number> {
  const { counts, faults } = await timed("verify", () => verify(client, from, to));
  const list = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  print(`  the table has ${list.join(", ")}`);
  print(faults.length === 0 ? "All counts are correct." : `Wrong: ${faults.join("; ")}.`);
  return faults.length === 0 ? 0 : 1;
}

async function drill(client: DynamoDBDocumentClient, stage: string): Promise<number> {
  const { table, keyArn } = await patientsTable(stage);
  const copy = `${table}-drill`;
  await timed("start the restore", () => startRestore(table, copy, keyArn));
  try {
    await timed("wait for the table", () => waitForTable(copy));
    // The copy lacks what was written after its restore point, so it is only checked for consistency.
    return await check(client, copy, copy);
  } finally {
    await timed("delete the copy", () => deleteTable(copy));
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
  // The SDK's messages may quote keys, which are phone numbers.
  process.stderr.write(error instanceof AwsError ? `${error.message}\n` : `Failed: ${(error as Error).name}.\n`);
  process.exitCode = 1;
}
