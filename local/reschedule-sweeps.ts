import { type DynamoDBDocumentClient, paginateScan, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { THREAD_SK } from "../shared/dynamo/keys.ts";
import { sweepAt } from "../shared/threads/thread.ts";

/**
 * Assigns each thread to the next sweep after its expiry. A sweep looks only for threads that are due at multiples of its
 * interval, a day back at most; after a different interval or a longer pause, it would not find the others.
 *
 * @param table the threads table; nothing else may use it at the same time
 */
export async function rescheduleSweeps(
  client: DynamoDBDocumentClient,
  table: string,
  sweepIntervalSeconds: number,
): Promise<void> {
  const clock = { idleSeconds: 1, sweepIntervalSeconds };
  const pages = paginateScan(
    { client },
    {
      TableName: table,
      FilterExpression: "sk = :thread",
      ExpressionAttributeValues: { ":thread": THREAD_SK },
      ProjectionExpression: "threadId, sk, expiresAt, sweepAt, deleting",
    },
  );
  for await (const { Items = [] } of pages) {
    for (const { threadId, sk, expiresAt, sweepAt: planned, deleting } of Items) {
      const due = deleting ? Date.now() : Math.max(Date.parse(expiresAt), Date.now());
      const next = sweepAt(due, clock);
      if (planned !== next) {
        await client.send(
          new UpdateCommand({
            TableName: table,
            Key: { threadId, sk },
            UpdateExpression: "SET sweepAt = :next",
            ExpressionAttributeValues: { ":next": next },
          }),
        );
      }
    }
  }
}
