import { Backup } from "@aws-sdk/client-backup";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { DeleteTableCommand, DynamoDBClient, waitUntilTableNotExists } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { OperationError, runScript } from "../aws/explain.ts";
import { onlyResource, patientsTable, readStack, stackNames } from "../aws/stack.ts";
import { restoreFromVault, restoreToPointInTime } from "./copies.ts";
import { copyPatients } from "./copy-patients.ts";
import { FORMAT, type Kind, survey } from "./items.ts";
import { verify } from "./verify.ts";

const USAGE = `Restores patients, phone locks and erasures into a stage from a table that was restored from a backup.

  npm run restore -- --from TABLE --stage STAGE                 copies the items that the stage's table lacks, and
                                                                verifies the counts
  npm run restore -- --vault VAULT --role ROLE --stage STAGE    restores the latest backup in a vault, which may be that
                                                                of another stage, to a table; copies, verifies, and
                                                                deletes that table
  npm run restore -- --drill --role ROLE --stage STAGE          restores a copy by point-in-time recovery and one from
                                                                the vault, verifies them, and deletes them

  --role       the ARN of a role for AWS Backup with AWSBackupServiceRolePolicyForRestores; or RESTORE_ROLE
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
  vault: { type: "string" },
  role: { type: "string" },
  endpoint: { type: "string" },
  overwrite: { type: "boolean", default: false },
  drill: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const { values: options } = readArguments(USAGE, { options: OPTIONS });
  const { from, to, stage, vault, endpoint, overwrite, drill, role = process.env.RESTORE_ROLE } = options;
  if (!stage && (drill || vault || !to)) {
    usageError(USAGE, "Missing: --stage.");
  }
  if (!drill && !vault && !from) {
    usageError(USAGE, "Missing: --from, --vault or --drill.");
  }
  if ((drill || vault) && !role) {
    usageError(USAGE, "Missing: --role.");
  }
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...RETRIES, ...(endpoint && { endpoint }) }));
  const resources = stage ? (await readStack(new CloudFormationClient(), stackNames(stage).data)).resources : [];
  const table = to ?? patientsTable(resources);
  if (drill) {
    const ofStage = { vault: vault ?? onlyResource(resources, "AWS::Backup::BackupVault"), role: role ?? "" };
    return drillBoth(client, table, ofStage);
  }
  return vault
    ? restoreVault(client, { to: table, overwrite, vault, role: role ?? "" })
    : restore(client, { from: from ?? "", to: table, overwrite });
}

/** Restores from the latest backup in a vault, by way of a table that is deleted if all counts are correct. */
async function restoreVault(
  client: DynamoDBDocumentClient,
  { to, overwrite, vault, role }: { to: string; overwrite: boolean; vault: string; role: string },
): Promise<number> {
  const target = `${to}-restored`;
  await timed("restore from the vault", () =>
    restoreFromVault(client, new Backup(), { vault, role, like: to, target }),
  );
  const code = await restore(client, { from: target, to, overwrite });
  if (code === 0) {
    await remove(client, target);
  } else {
    print(`The table ${target} was kept.`);
  }
  return code;
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

/** Restores a copy in both ways, one after the other, and verifies each. */
async function drillBoth(
  client: DynamoDBDocumentClient,
  table: string,
  { vault, role }: { vault: string; role: string },
): Promise<number> {
  const target = `${table}-drill`;
  const recovered = await drill(client, target, "restore by point-in-time recovery", () =>
    restoreToPointInTime(client, table, target),
  );
  const fromVault = await drill(client, target, "restore from the vault", () =>
    restoreFromVault(client, new Backup(), { vault, role, like: table, target }),
  );
  return Math.max(recovered, fromVault);
}

async function drill(
  client: DynamoDBDocumentClient,
  copy: string,
  step: string,
  restoreCopy: () => Promise<void>,
): Promise<number> {
  await timed(step, restoreCopy);
  try {
    await timed("read the formats", () => readable(client, copy));
    // The copy lacks what was written after its restore point, so it is only checked for consistency.
    return await check(client, copy, copy);
  } finally {
    await remove(client, copy);
  }
}

async function remove(client: DynamoDBDocumentClient, TableName: string): Promise<void> {
  await timed("delete the copy", async () => {
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client, maxWaitTime: 600 }, { TableName }); // its name is used again
  });
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

await runScript(main, "table");
