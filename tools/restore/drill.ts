import { AwsError, aws } from "../deploy/aws.ts";

/**
 * Restores a table to its latest restorable time, under another name.
 *
 * @param keyArn of the key that encrypts the new table
 * @throws AwsError
 */
export async function startRestore(source: string, target: string, keyArn: string): Promise<void> {
  await aws(
    ...["dynamodb", "restore-table-to-point-in-time", "--source-table-name", source, "--target-table-name", target],
    ...["--use-latest-restorable-time", "--sse-specification-override"],
    `Enabled=true,SSEType=KMS,KMSMasterKeyId=${keyArn}`,
  );
}

/** Waits until a table is active. Restoring a small table takes about as long as restoring a large one. */
export async function waitForTable(table: string, pauseMilliseconds = 10_000): Promise<void> {
  for (;;) {
    const found = await describe(table);
    if (found?.TableStatus === "ACTIVE") {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
  }
}

export async function deleteTable(table: string): Promise<void> {
  await aws("dynamodb", "delete-table", "--table-name", table);
}

/**
 * Finds the patients table of a stage's stack, and the key that encrypts it.
 *
 * @throws AwsError if the stack does not exist
 */
export async function patientsTable(stage: string): Promise<{ table: string; keyArn: string }> {
  const stack = `health-assistant-${stage}`;
  const found = await aws<{ StackResourceSummaries: Resource[] }>(
    ...["cloudformation", "list-stack-resources", "--stack-name", stack],
  );
  const table = found?.StackResourceSummaries.find(
    ({ ResourceType, LogicalResourceId }) =>
      ResourceType === "AWS::DynamoDB::Table" && LogicalResourceId.startsWith("TablesPatients"),
  )?.PhysicalResourceId;
  const keyArn = table && (await describe(table))?.SSEDescription?.KMSMasterKeyArn;
  if (!table || !keyArn) {
    throw new AwsError(`The stack ${stack} has no patients table; deploy it first.`);
  }
  return { table, keyArn };
}

interface Resource {
  ResourceType: string;
  LogicalResourceId: string;
  PhysicalResourceId: string;
}

async function describe(table: string) {
  const found = await aws<{ Table: { TableStatus: string; SSEDescription?: { KMSMasterKeyArn: string } } }>(
    ...["dynamodb", "describe-table", "--table-name", table],
  );
  return found?.Table;
}
