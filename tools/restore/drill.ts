import {
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";

/** Restores a table to its latest restorable time, under another name, encrypted with the same key. */
export async function startRestore(client: DynamoDBClient, source: string, target: string): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: source }));
  const key = Table?.SSEDescription?.KMSMasterKeyArn;
  await client.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: source,
      TargetTableName: target,
      UseLatestRestorableTime: true,
      // Without this, the copy would be encrypted with a key that AWS owns.
      ...(key && { SSESpecificationOverride: { Enabled: true, SSEType: "KMS", KMSMasterKeyId: key } }),
    }),
  );
}

/** Waits until a table is active. Restoring a small table takes about as long as restoring a large one. */
export async function waitForTable(client: DynamoDBClient, TableName: string): Promise<void> {
  await waitUntilTableExists({ client, minDelay: 10, maxDelay: 10, maxWaitTime: 24 * 60 * 60 }, { TableName });
}
