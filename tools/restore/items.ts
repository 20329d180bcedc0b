import { type DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { ofPatientsPartition } from "../../shared/dynamo/keys.ts";

/** An item of the patients table. */
export type Item = Record<string, unknown> & { pk: string };

const KINDS = { patient: "patients", phone: "phone locks", lookup: "look-ups", erasure: "erasures" } as const;

/** The kind of an item in the patients table, according to its key (`shared/dynamo/keys.ts`). */
export type Kind = (typeof KINDS)[keyof typeof KINDS];

/** The format of the items that this version writes. An item of this format has no attribute `format`. */
export const FORMAT = 1;

/** The kind of an item that {@link flawOf} found nothing wrong with. */
export function kindOf({ pk }: Item): Kind {
  return KINDS[ofPatientsPartition(pk).kind as keyof typeof KINDS];
}

/**
 * Checks whether this version can read an item.
 *
 * @returns in what it differs from the format, without its contents; undefined if it does not
 */
function flawOf(item: Item): string | undefined {
  const { format = FORMAT, pk, id, notes, patientId } = item;
  if (format !== FORMAT) {
    return `the format ${Number(format)}`;
  }
  const key = ofPatientsPartition(pk);
  if (!key.tenantPart || !Object.hasOwn(KINDS, key.kind) || pk !== [key.tenantPart, key.kind, key.id].join("#")) {
    return "another key";
  }
  const wrong =
    (key.kind === "patient" && (id !== key.id || typeof notes !== "string")) ||
    (isOfPatient(key.kind) && typeof patientId !== "string");
  return wrong ? "other attributes" : undefined;
}

/** Identifies the patient that an item is about, by the tenant as in keys and the patient's ID. */
export function patientOf({ pk, patientId }: Item): string {
  const { tenantPart, kind, id } = ofPatientsPartition(pk);
  return `${tenantPart}#${isOfPatient(kind) ? patientId : id}`;
}

/** Whether an item names the patient to whom it leads. */
function isOfPatient(kind: string): boolean {
  return kind === "phone" || kind === "lookup";
}

/** Counts that begin at zero. */
export function noCounts(): Record<Kind, number> {
  return { patients: 0, "phone locks": 0, "look-ups": 0, erasures: 0 };
}

/** Yields all items of a table, each in its state when it is read. */
export async function* scan(client: DynamoDBDocumentClient, table: string): AsyncGenerator<Item, void, void> {
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    yield* Items as Item[];
  }
}

/** What a restore has to know about a table before it writes anything. */
export interface Survey {
  /** The patients in the list of erasures, identified as {@link patientOf} does. */
  erased: Set<string>;
  /** How many items this version cannot read, by what {@link flawOf} says. */
  flaws: Record<string, number>;
}

export async function survey(client: DynamoDBDocumentClient, table: string): Promise<Survey> {
  const found: Survey = { erased: new Set(), flaws: {} };
  for await (const item of scan(client, table)) {
    const flaw = flawOf(item);
    if (flaw) {
      found.flaws[flaw] = (found.flaws[flaw] ?? 0) + 1;
    } else if (kindOf(item) === "erasures") {
      found.erased.add(patientOf(item));
    }
  }
  return found;
}
