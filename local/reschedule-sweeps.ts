import { type DynamoDBDocumentClient, paginateScan, UpdateCommand } from "@aws-sdk/lib-dynamodb";

/**
 * Assigns each thread to the next sweep after its expiry. A sweep only looks for threads due at multiples of its
 * interval, for a limited number of past intervals; after a different interval or a long pause, it would not find the
 * others.
 *
 * @param table the threads table, which nothing else may use at the same time
 */
export async function rescheduleSweeps(
  client: DynamoDBDocumentClient,
  table: string,
  sweepIntervalSeconds: number,
): Promise<void> {
  const interval = sweepIntervalSeconds * 1000;
  const pages = paginateScan(
    { client },
    {
      TableName: table,
      FilterExpression: "attribute_exists(sweepAt)",
      ProjectionExpression: "pk, sk, expiresAt, sweepAt, deleting",
    },
  );
  for await (const { Items = [] } of pages) {
    for (const { pk, sk, expiresAt, sweepAt, deleting } of Items) {
      const due = deleting ? Date.now() : Math.max(Date.parse(expiresAt), Date.now());
      const next = new Date(Math.ceil(due / interval) * interval).toISOString();
      if (sweepAt !== next) {
        await client.send(
          new UpdateCommand({
            TableName: table,
            Key: { pk, sk },
            UpdateExpression: "SET sweepAt = :next",
            ExpressionAttributeValues: { ":next": next },
          }),
        );
      }
    }
  }
}
