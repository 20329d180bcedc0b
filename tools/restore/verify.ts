import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Item, type Kind, kindOf, noCounts, patientOf, scan, survey } from "./items.ts";

export interface Verified {
  /** How many items of each kind the stack's table has. */
  counts: Record<Kind, number>;
  /** What is wrong, as counts, without any patient's ID or phone number. */
  faults: string[];
}

/**
 * Compares the stack's table with the restored one, and checks it for consistency.
 *
 * @param from the restored table
 * @param to the stack's table
 */
export async function verify(client: DynamoDBDocumentClient, from: string, to: string): Promise<Verified> {
  const { erased } = await survey(client, to);
  const items = new Map<string, Item>();
  const counts = noCounts();
  for await (const item of scan(client, to)) {
    items.set(item.pk, item);
    counts[kindOf(item)]++;
  }
  const missing = noCounts();
  for await (const item of scan(client, from)) {
    if (!erased.has(patientOf(item)) && !items.has(item.pk)) {
      missing[kindOf(item)]++;
    }
  }
  const records = [...items.values()].filter((item) => kindOf(item) === "patients");
  const known = new Set(records.map(patientOf));
  const ofKind = (kind: Kind) => [...items.values()].filter((item) => kindOf(item) === kind);
  const count = (list: Item[], isWrong: (item: Item) => boolean) => list.filter(isWrong).length;
  const found: [number, string][] = [
    ...Object.entries(missing).map(([kind, number]): [number, string] => [number, `${kind} are missing`]),
    [count(records, (record) => erased.has(patientOf(record))), "erased patients are back"],
    [
      count(
        records,
        // A record's key in the index by phone number is also the key of its phone lock.
        ({ id, phoneKey }) => Boolean(phoneKey) && items.get(String(phoneKey))?.patientId !== id,
      ),
      "patients have no phone lock of their own",
    ],
    ...(["phone locks", "look-ups"] as const).map((kind): [number, string] => [
      count(ofKind(kind), (item) => !known.has(patientOf(item))),
      `${kind} belong to nobody`,
    ]),
  ];
  return { counts, faults: found.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`) };
}
