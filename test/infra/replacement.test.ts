import { join } from "node:path";
import { expect, test } from "@jest/globals";
import released from "../../infra/released.json" with { type: "json" };
import { consequences, type Resource } from "../../tools/release/consequences.ts";
import { type Kind, stageAssemblies } from "../helpers/template/stages.ts";
import { type Properties, Template } from "../helpers/template/template.ts";

const folder = await stageAssemblies();
const resourcesOf = (...kinds: Kind[]): Record<string, Resource> =>
  Object.assign({}, ...kinds.map((kind) => new Template(join(folder, kind)).resources));

/** Prod's options are the audit archive; its own kind has the fallback model's key. */
test.each<[stage: keyof typeof released, kinds: Kind[]]>([
  ["dev", ["dev"]],
  ["staging", ["staging"]],
  ["prod", ["options", "prod"]],
  ["prod", ["options", "prod", "small"]],
])("an update of %s from the last release replaces nothing with data, and is not refused (%p)", (stage, kinds) => {
  expect(consequences(released[stage], resourcesOf(...kinds))).toEqual([]);
});

const prod: Record<string, Resource> = released.prod;
const [threads, patients, secret] = ["TablesThreads4279A1E3", "TablesPatients7635EB4A", "SecretsApiKeys7AB8F12A"];
const renamed = (id: string) =>
  Object.fromEntries(Object.entries(prod).map(([name, resource]) => [name === id ? "Renamed" : name, resource]));
const changed = (id: string, properties: Properties) => ({
  ...prod,
  [id]: { Type: "", ...prod[id], Properties: { ...prod[id]?.Properties, ...properties } },
});
const index = (IndexName: string, ...keys: string[]) => ({
  IndexName,
  KeySchema: keys.map((AttributeName) => ({ AttributeName, KeyType: "HASH" })),
});
const indexes = prod[threads]?.Properties?.GlobalSecondaryIndexes;

test.each<[what: string, after: Record<string, Resource>, says: string]>([
  ["a renamed secret", renamed(secret), `${secret} would be removed: every client's API key`],
  ["a renamed table", renamed(patients), `${patients} would be removed: the service starts with an empty table`],
  [
    "a renamed key",
    renamed("EncryptionKey3A692D6E"),
    "EncryptionKey3A692D6E would be removed: nothing that is encrypted",
  ],
  [
    "a table with other keys",
    changed(patients, { KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] }),
    `KeySchema of ${patients} would change, which replaces it: the service starts with an empty table`,
  ],
  [
    "a table with a name",
    changed(patients, { TableName: "patients" }),
    `TableName of ${patients} would change, which replaces it`,
  ],
  [
    "a vault with another key",
    changed("BackupsVault1F11AFCC", { EncryptionKeyArn: "arn:aws:kms:eu-west-1:111122223333:key/other" }),
    "EncryptionKeyArn of BackupsVault1F11AFCC would change, which replaces it: the backups stay in the old vault",
  ],
  [
    "longer generated keys",
    changed(secret, { GenerateSecretString: { PasswordLength: 50 } }),
    `GenerateSecretString of ${secret} would change, which resets its value: every client's API key`,
  ],
  [
    "an index with other keys under its name",
    changed(threads, { GlobalSecondaryIndexes: [index("by-sweep", "sweepAt")] }),
    `CloudFormation would refuse to change GlobalSecondaryIndexes of ${threads}: give what by-sweep becomes another name`,
  ],
  [
    "a renamed index",
    changed(threads, { GlobalSecondaryIndexes: [index("sweep", "sweepAt")] }),
    `CloudFormation would refuse to change GlobalSecondaryIndexes of ${threads}: sweep and by-sweep are added or deleted at once`,
  ],
  [
    "a key of another type",
    changed(threads, { AttributeDefinitions: [{ AttributeName: "sweepAt", AttributeType: "N" }] }),
    `CloudFormation would refuse to change AttributeDefinitions of ${threads}: sweepAt has another type`,
  ],
  [
    "another TTL attribute",
    changed(threads, { TimeToLiveSpecification: { AttributeName: "expires", Enabled: true } }),
    `CloudFormation would refuse to change TimeToLiveSpecification of ${threads}`,
  ],
])("the comparison says what %s would mean", (_, after, says) => {
  expect(consequences(prod, after)).toEqual([expect.stringContaining(says)]);
});

test.each<[what: string, after: Record<string, Resource>]>([
  ["a new table", { ...prod, TablesNew: prod[threads] as Resource }],
  ["a new index", changed(threads, { GlobalSecondaryIndexes: [...indexes, index("by-other", "other")] })],
  ["an index that nothing uses any more", changed(threads, { GlobalSecondaryIndexes: [] })],
])("the comparison allows %s", (_, after) => {
  expect(consequences(prod, after)).toEqual([]);
});

test("secrets and data are kept when they are replaced after all, except in dev and what passes within days", () => {
  const { resources } = new Template(join(folder, "prod"));
  const lost = Object.entries(resources).filter(
    ([id, { UpdateReplacePolicy }]) => id in prod && UpdateReplacePolicy !== "Retain",
  );
  expect(lost.map(([id]) => id)).toEqual([threads, "TablesQuotasE4C0AA70", "TablesEventsE8DD42EA"]);
});
