import { setTimeout } from "node:timers/promises";
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from "@aws-sdk/client-dynamodb";
import { OperationError } from "../aws/explain.ts";
import { stackName, stackResources } from "../aws/stack.ts";

/** Finds the patients table of a stage's stack. */
export async function patientsTable(cloudFormation: CloudFormationClient, stage: string): Promise<string> {
  const table = (await stackResources(cloudFormation, stage)).find(
    ({ ResourceType, LogicalResourceId }) =>
      ResourceType === "AWS::DynamoDB::Table" && LogicalResourceId?.startsWith("TablesPatients"),
  )?.PhysicalResourceId;
  if (!table) {
    throw new OperationError(`The stack ${stackName(stage)} has no patients table; deploy it first.`);
  }
  return table;
}

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
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === "ACTIVE") {
      return;
    }
    await setTimeout(10_000);
  }
}

export async function deleteTable(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName }));
}
