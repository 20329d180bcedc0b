import { setTimeout } from "node:timers/promises";
import { type Backup, paginateListRecoveryPointsByBackupVault } from "@aws-sdk/client-backup";
import {
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { OperationError } from "../aws/explain.ts";

/** How often a restore is looked at. */
const PAUSE_SECONDS = 10;

/** Restores a table to its latest restorable time, under another name, encrypted with the same key. */
export async function restoreToPointInTime(client: DynamoDBClient, source: string, target: string): Promise<void> {
  const key = await keyOf(client, source);
  await client.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: source,
      TargetTableName: target,
      UseLatestRestorableTime: true,
      // Without this, the copy would be encrypted with a key that AWS owns.
      ...(key && { SSESpecificationOverride: { Enabled: true, SSEType: "KMS", KMSMasterKeyId: key } }),
    }),
  );
  await waitForTable(client, target);
}

/** What to restore from a vault, and as what. */
export interface FromVault {
  vault: string;
  /** The ARN of the role that AWS Backup restores with. */
  role: string;
  /** The table whose key encrypts the new one; it need not be the one that was backed up. */
  like: string;
  target: string;
}

/**
 * Restores the latest backup in a vault to a new table.
 *
 * @throws OperationError when the vault has no backup of a table, or the restore fails; errors of the AWS SDK
 */
export async function restoreFromVault(
  client: DynamoDBClient,
  backup: Backup,
  { vault, role, like, target }: FromVault,
): Promise<void> {
  const RecoveryPointArn = await latestBackup(backup, vault);
  const key = await keyOf(client, like);
  // "Restore a DynamoDB table" of the AWS Backup developer guide
  const Metadata = {
    targetTableName: target,
    ...(key && { encryptionType: "KMS", kmsMasterKeyArn: key }),
  };
  const { RestoreJobId } = await backup.startRestoreJob({ RecoveryPointArn, IamRoleArn: role, Metadata });
  for (;;) {
    const { Status = "", StatusMessage } = await backup.describeRestoreJob({ RestoreJobId });
    if (Status === "COMPLETED") {
      break;
    }
    if (!["PENDING", "RUNNING"].includes(Status)) {
      throw new OperationError(`The restore from the vault ${vault} ended as ${Status}: ${StatusMessage}`);
    }
    await setTimeout(PAUSE_SECONDS * 1_000);
  }
  await waitForTable(client, target);
}

async function latestBackup(backup: Backup, BackupVaultName: string): Promise<string> {
  const query = { BackupVaultName, ByResourceType: "DynamoDB" };
  const pages = await Array.fromAsync(paginateListRecoveryPointsByBackupVault({ client: backup }, query));
  const [latest] = pages
    .flatMap(({ RecoveryPoints = [] }) => RecoveryPoints.filter(({ Status }) => Status === "COMPLETED"))
    .toSorted((a, b) => Number(b.CreationDate) - Number(a.CreationDate));
  if (!latest?.RecoveryPointArn) {
    throw new OperationError(`The vault ${BackupVaultName} has no completed backup of a table.`);
  }
  return latest.RecoveryPointArn;
}

async function keyOf(client: DynamoDBClient, TableName: string): Promise<string | undefined> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return Table?.SSEDescription?.KMSMasterKeyArn;
}

/** Waits until a table is active. Restoring a small table takes about as long as restoring a large one. */
async function waitForTable(client: DynamoDBClient, TableName: string): Promise<void> {
  const waiter = { client, minDelay: PAUSE_SECONDS, maxDelay: PAUSE_SECONDS, maxWaitTime: 24 * 60 * 60 };
  await waitUntilTableExists(waiter, { TableName });
}
