import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { stageAssemblies } from "../helpers/template/stages.ts";
import { type Properties, type Resource, Template } from "../helpers/template/template.ts";

/** What is lost when CloudFormation replaces a resource of a type, because its logical ID or its keys change. */
const LOSS: Record<string, string> = {
  "AWS::DynamoDB::Table":
    "the API starts with an empty table, and the old one is deleted, or, with patients, left behind unused",
  "AWS::KMS::Key": "nothing that is encrypted with the old key can be read without it",
  "AWS::SecretsManager::Secret": "every client's API key, or the key of the model, stops working",
  "AWS::Backup::BackupVault": "the backups stay in the old vault, and the new one has none",
  "AWS::S3::Bucket": "the audit trail stays in the old bucket, and the new one is empty",
};

/**
 * The resources that hold data: their logical IDs and, for tables, their keys, the names of their indexes and those
 * indexes' keys. CloudFormation knows a resource only by its logical ID, which follows from the names of its
 * constructs.
 */
const PINNED: Record<string, string> = {
  TablesThreads4279A1E3: "AWS::DynamoDB::Table: pk, sk; by-sweep: sweepShard, sweepAt",
  TablesPatients7635EB4A: "AWS::DynamoDB::Table: pk; by-phone-number: phoneKey",
  TablesQuotasE4C0AA70: "AWS::DynamoDB::Table: pk",
  TablesEventsE8DD42EA: "AWS::DynamoDB::Table: pk, sk; by-due: dueShard, dueAt",
  TablesFeedback3DCD6885: "AWS::DynamoDB::Table: pk, sk",
  EncryptionKey3A692D6E: "AWS::KMS::Key",
  BackupsKeyC696F888: "AWS::KMS::Key",
  BackupsVault1F11AFCC: "AWS::Backup::BackupVault",
  SecretsApiKeys7AB8F12A: "AWS::SecretsManager::Secret",
  SecretsModelKey0DB4AAD3: "AWS::SecretsManager::Secret",
  SecretsFallbackKey117F7579: "AWS::SecretsManager::Secret",
  AuditBucket7486E833: "AWS::S3::Bucket",
};

/** Those that only some settings create. */
const OPTIONAL = ["SecretsFallbackKey117F7579", "AuditBucket7486E833"];

const keysOf = ({ KeySchema }: Properties) =>
  KeySchema.map(({ AttributeName }: Properties) => AttributeName).join(", ");

function shapeOf({ Type, Properties }: Resource): string {
  const indexes: Properties[] = Properties?.GlobalSecondaryIndexes ?? [];
  const tables = [Properties, ...indexes].filter((part) => part?.KeySchema);
  const keys = tables.map((part) => (part.IndexName ? `${part.IndexName}: ${keysOf(part)}` : keysOf(part)));
  return [Type, ...(keys.length > 0 ? [keys.join("; ")] : [])].join(": ");
}

/** What a deployment of these resources would destroy, in sentences. */
function consequences(resources: Record<string, Resource>): string[] {
  const holding = Object.entries(resources).filter(([, { Type }]) => Type in LOSS);
  const added = holding.flatMap(([id]) => (id in PINNED ? [] : [`${id} is new, or renamed: pin it here`]));
  const changed = Object.entries(PINNED).flatMap(([id, pinned]) => {
    const resource = resources[id];
    const loss = LOSS[pinned.split(": ")[0] ?? ""];
    if (!resource) {
      return OPTIONAL.includes(id) ? [] : [`${id} would be removed from the stack: ${loss}`];
    }
    const [[type, keys, ...indexes], [pinnedType, pinnedKeys, ...pinnedIndexes]] = [shapeOf(resource), pinned].map(
      (shape) => shape.split(/: |; /),
    ) as [string[], string[]];
    if (type !== pinnedType || keys !== pinnedKeys) {
      return [`${id} would be replaced, since its keys change from ${pinnedKeys} to ${keys}: ${loss}`];
    }
    return String(indexes) === String(pinnedIndexes)
      ? []
      : [`an index of ${id} would be deleted and built anew: until then, queries of it fail`];
  });
  return [...changed, ...added];
}

const folder = await stageAssemblies();
const resourcesOf = (kind: string) => new Template(join(folder, kind)).resources;

test.each(["dev", "staging", "prod", "small", "options"])(
  "a deployment to %s replaces no table, key, secret, vault or archive",
  (kind) => {
    expect(consequences(resourcesOf(kind))).toEqual([]);
  },
);

const renamed = (resources: Record<string, Resource>, id: string) =>
  Object.fromEntries(Object.entries(resources).map(([name, resource]) => [name === id ? "Renamed" : name, resource]));
const withTable = (resources: Record<string, Resource>, id: string, change: Properties) => {
  const table = resources[id] as Resource;
  return { ...resources, [id]: { ...table, Properties: { ...table.Properties, ...change } } };
};

test.each<[what: string, change: (resources: Record<string, Resource>) => Record<string, Resource>, says: RegExp]>([
  [
    "a renamed secret",
    (all) => renamed(all, "SecretsApiKeys7AB8F12A"),
    /^SecretsApiKeys7AB8F12A would be removed from the stack: every client's API key.* stops working$/,
  ],
  ["a renamed table", (all) => renamed(all, "TablesPatients7635EB4A"), /the API starts with an empty table/],
  ["a renamed key", (all) => renamed(all, "EncryptionKey3A692D6E"), /nothing that is encrypted with the old key/],
  [
    "a table with other keys",
    (all) => withTable(all, "TablesPatients7635EB4A", { KeySchema: [{ AttributeName: "id" }] }),
    /its keys change from pk to id: the API starts with an empty table/,
  ],
  [
    "a renamed index",
    (all) =>
      withTable(all, "TablesThreads4279A1E3", {
        GlobalSecondaryIndexes: [{ IndexName: "sweep", KeySchema: [{ AttributeName: "sweepAt" }] }],
      }),
    /^an index of TablesThreads4279A1E3 would be deleted/,
  ],
])("the check says what %s would destroy", (_, change, says) => {
  expect(consequences(change(resourcesOf("prod")))[0]).toMatch(says);
});

test("secrets and data are kept when they are replaced after all, except in dev and what passes within days", () => {
  const lost = Object.entries(resourcesOf("prod")).filter(
    ([id, { UpdateReplacePolicy }]) => id in PINNED && UpdateReplacePolicy !== "Retain",
  );
  expect(lost.map(([id]) => id)).toEqual(["TablesThreads4279A1E3", "TablesQuotasE4C0AA70", "TablesEventsE8DD42EA"]);
});
