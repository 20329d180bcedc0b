import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { type Item, type Kind, kindOf, noCounts, patientOf, scan } from "./items.ts";

/** Concurrent writes. A new on-demand table takes 4,000 per second. */
const PARALLEL_WRITES = 16;

export interface Copied {
  /** How many items of each kind the source has. */
  found: Record<Kind, number>;
  written: Record<Kind, number>;
  /** Items that the stack's table already has, possibly in a newer version. */
  present: Record<Kind, number>;
  /** Records, phone locks and look-ups of patients who have been erased since, and stay erased. */
  erased: Record<Kind, number>;
}

/**
 * Copies items that the stack's table lacks from a restored table. Existing items do not change, so the copy can be
 * interrupted and repeated.
 *
 * @param erased patients who must not be restored
 * @param overwrite also replaces existing items, in case they are wrong
 */
export async function copyPatients(
  client: DynamoDBDocumentClient,
  { from, to, erased, overwrite }: { from: string; to: string; erased: Set<string>; overwrite: boolean },
): Promise<Copied> {
  const copied: Copied = { found: noCounts(), written: noCounts(), present: noCounts(), erased: noCounts() };
  const items = scan(client, from);
  const worker = async () => {
    for await (const item of items) {
      const kind = kindOf(item);
      copied.found[kind]++;
      if (kind !== "erasures" && erased.has(patientOf(item))) {
        copied.erased[kind]++;
      } else {
        copied[(await put(client, to, item, overwrite)) ? "written" : "present"][kind]++;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_WRITES }, worker));
  return copied;
}

/** @returns false if the item already exists */
async function put(client: DynamoDBDocumentClient, table: string, item: Item, overwrite: boolean): Promise<boolean> {
  const condition = overwrite ? {} : { ConditionExpression: "attribute_not_exists(pk)" };
  try {
    await client.send(new PutCommand({ TableName: table, Item: item, ...condition }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return false;
    }
    throw error;
  }
}
