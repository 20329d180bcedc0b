import { setTimeout } from "node:timers/promises";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { ofPatientsPartition } from "../../shared/dynamo/keys.ts";

/** An item of the patients table. */
export type Item = Record<string, unknown> & { pk: string };

/** The kind of an item in the patients table, according to its key (`shared/dynamo/keys.ts`). */
export type Kind = "patients" | "phone locks" | "erasures";

/** Concurrent writes. A new on-demand table takes 4,000 per second. */
const PARALLEL_WRITES = 16;

export interface Copied {
  /** How many items of each kind the source has. */
  found: Record<Kind, number>;
  written: Record<Kind, number>;
  /** Items that the stack's table already has, possibly in a newer version. */
  present: Record<Kind, number>;
  /** Records and phone locks of patients who have been erased since, and stay erased. */
  erased: Record<Kind, number>;
}

export function kindOf({ pk }: Item): Kind {
  const { kind } = ofPatientsPartition(pk);
  return kind === "erasure" ? "erasures" : kind === "phone" ? "phone locks" : "patients";
}

/** Yields all items of a table, each in its state when it is read. */
export async function* scan(client: DynamoDBDocumentClient, table: string): AsyncGenerator<Item, void, void> {
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    yield* Items as Item[];
  }
}

/** The patients in a table's list of erasures, identified as {@link patientOf} does. */
export async function erasedIds(client: DynamoDBDocumentClient, table: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const item of scan(client, table)) {
    if (kindOf(item) === "erasures") {
      ids.add(patientOf(item));
    }
  }
  return ids;
}

/** Identifies the patient that an item is about, by the tenant as in keys and the patient's ID. */
export function patientOf({ pk, patientId }: Item): string {
  const { tenantPart, kind, id } = ofPatientsPartition(pk);
  return `${tenantPart}#${kind === "phone" ? patientId : id}`;
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
  const none = (): Record<Kind, number> => ({ patients: 0, "phone locks": 0, erasures: 0 });
  const copied: Copied = { found: none(), written: none(), present: none(), erased: none() };
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
  for (let tries = 1; ; tries++) {
    try {
      await client.send(
        new PutCommand({
          TableName: table,
          Item: item,
          ...(!overwrite && { ConditionExpression: "attribute_not_exists(pk)" }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return false;
      }
      const throttled = /Throttling|ThroughputExceeded/.test((error as Error).name);
      if (!throttled || tries === 10) {
        throw error;
      }
      await setTimeout(100 * 2 ** tries);
    }
  }
}
