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

/** A resource that holds data: its type and, for a table, its keys and those of its indexes. */
interface Shape {
  type: string;
  keys?: string;
  indexes?: Record<string, string>;
}

/**
 * The resources that hold data. CloudFormation knows one only by its logical ID, which follows from the constructs'
 * names.
 */
const PINNED: Record<string, Shape> = {
  TablesThreads4279A1E3: {
    type: "AWS::DynamoDB::Table",
    keys: "pk, sk",
    indexes: { "by-sweep": "sweepShard, sweepAt" },
  },
  TablesPatients7635EB4A: { type: "AWS::DynamoDB::Table", keys: "pk", indexes: { "by-phone-number": "phoneKey" } },
  TablesQuotasE4C0AA70: { type: "AWS::DynamoDB::Table", keys: "pk" },
  TablesEventsE8DD42EA: { type: "AWS::DynamoDB::Table", keys: "pk, sk", indexes: { "by-due": "dueShard, dueAt" } },
  TablesFeedback3DCD6885: { type: "AWS::DynamoDB::Table", keys: "pk, sk" },
  TablesSources862CF239: { type: "AWS::DynamoDB::Table", keys: "pk, sk" },
  EncryptionKey3A692D6E: { type: "AWS::KMS::Key" },
  BackupsKeyC696F888: { type: "AWS::KMS::Key" },
  BackupsVault1F11AFCC: { type: "AWS::Backup::BackupVault" },
  SecretsApiKeys7AB8F12A: { type: "AWS::SecretsManager::Secret" },
  SecretsModelKey0DB4AAD3: { type: "AWS::SecretsManager::Secret" },
  SecretsFallbackKey117F7579: { type: "AWS::SecretsManager::Secret" },
  AuditBucket7486E833: { type: "AWS::S3::Bucket" },
};

/** Those that only some settings create. */
const OPTIONAL = ["SecretsFallbackKey117F7579", "AuditBucket7486E833"];

const keysOf = ({ KeySchema }: Properties) =>
  KeySchema.map(({ AttributeName }: Properties) => AttributeName).join(", ");

function shapeOf({ Type: type, Properties = {} }: Resource): Shape {
  const indexes: Properties[] = Properties.GlobalSecondaryIndexes ?? [];
  return {
    type,
    ...(Properties.KeySchema && { keys: keysOf(Properties) }),
    indexes: Object.fromEntries(indexes.map((index) => [index.IndexName, keysOf(index)])),
  };
}

/** What a deployment of these resources would destroy, or why CloudFormation would refuse it, in sentences. */
function consequences(resources: Record<string, Resource>): string[] {
  const holding = Object.entries(resources).filter(([, { Type }]) => Type in LOSS);
  const added = holding.flatMap(([id]) => (id in PINNED ? [] : [`${id} is new, or renamed: pin it here`]));
  const changed = Object.entries(PINNED).flatMap(([id, pinned]) => {
    const loss = LOSS[pinned.type];
    const resource = resources[id];
    if (!resource) {
      return OPTIONAL.includes(id) ? [] : [`${id} would be removed from the stack: ${loss}`];
    }
    const shape = shapeOf(resource);
    return shape.type !== pinned.type || shape.keys !== pinned.keys
      ? [`${id} would be replaced, since its keys change from ${pinned.keys} to ${shape.keys}: ${loss}`]
      : changedIndexes(id, pinned.indexes ?? {}, shape.indexes ?? {});
  });
  return [...changed, ...added];
}

/**
 * An index cannot change: "AWS::DynamoDB::Table GlobalSecondaryIndex" only lets an update add or delete one, and one of
 * each per update.
 */
function changedIndexes(id: string, pinned: Record<string, string>, indexes: Record<string, string>): string[] {
  const changed = Object.entries(pinned).flatMap(([name, keys]) => {
    if (indexes[name] === undefined) {
      return [`the index ${name} of ${id} would be deleted: the release that is still running queries it`];
    }
    return indexes[name] === keys
      ? []
      : [`CloudFormation would refuse to change the keys of the index ${name} of ${id}: give the new one another name`];
  });
  const added = Object.keys(indexes).filter((name) => !(name in pinned));
  return [...changed, ...added.map((name) => `the index ${name} of ${id} is new: pin it here`)];
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
    /^the index by-sweep of TablesThreads4279A1E3 would be deleted/,
  ],
  [
    "an index with other keys under its name",
    (all) =>
      withTable(all, "TablesThreads4279A1E3", {
        GlobalSecondaryIndexes: [{ IndexName: "by-sweep", KeySchema: [{ AttributeName: "sweepAt" }] }],
      }),
    /^CloudFormation would refuse to change the keys of the index by-sweep of TablesThreads4279A1E3/,
  ],
])("the check says what %s would mean", (_, change, says) => {
  expect(consequences(change(resourcesOf("prod")))[0]).toMatch(says);
});

test("secrets and data are kept when they are replaced after all, except in dev and what passes within days", () => {
  const lost = Object.entries(resourcesOf("prod")).filter(
    ([id, { UpdateReplacePolicy }]) => id in PINNED && UpdateReplacePolicy !== "Retain",
  );
  expect(lost.map(([id]) => id)).toEqual(["TablesThreads4279A1E3", "TablesQuotasE4C0AA70", "TablesEventsE8DD42EA"]);
});
