import { isDeepStrictEqual } from "node:util";

/** A resource of a template, or of the snapshot of a release: only its type and properties are read. */
export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties depend on the resource type
  Properties?: Record<string, any>;
}

/** What is lost when CloudFormation replaces a resource of a type. */
const LOSS: Record<string, string> = {
  "AWS::DynamoDB::Table": "the service starts with an empty table",
  "AWS::KMS::Key": "nothing that is encrypted with the old key can be read without it",
  "AWS::SecretsManager::Secret": "every client's API key, or the key of the model, stops working",
  "AWS::Backup::BackupVault": "the backups stay in the old vault, and the new one has none",
  "AWS::S3::Bucket": "the audit trail stays in the old bucket, and the new one is empty",
};

/** The properties whose change replaces a resource ("Update requires" in the CloudFormation Template Reference). */
const REPLACES: Record<string, string[]> = {
  "AWS::DynamoDB::Table": ["TableName", "KeySchema"],
  "AWS::SecretsManager::Secret": ["Name"],
  "AWS::Backup::BackupVault": ["BackupVaultName", "EncryptionKeyArn"],
  "AWS::S3::Bucket": ["BucketName"],
};

/** The properties whose change AWS refuses (the same pages). A TTL attribute is first disabled, then changed. */
const REFUSED: Record<string, string[]> = {
  "AWS::DynamoDB::Table": ["TimeToLiveSpecification"],
  "AWS::KMS::Key": ["KeySpec", "KeyUsage", "MultiRegion", "Origin"],
};

/** The properties whose change gives a secret another value. */
const RESETS: Record<string, string[]> = {
  "AWS::SecretsManager::Secret": ["GenerateSecretString", "SecretString"],
};

const IN_PARTS = ["AttributeDefinitions", "GlobalSecondaryIndexes"];

/** Returns the resources that hold data, with the properties that {@link consequences} compares. */
export function holdingData(resources: Record<string, Resource>): Record<string, Resource> {
  const holding = Object.entries(resources).filter(([, { Type }]) => Type in LOSS);
  return Object.fromEntries(
    holding.map(([id, { Type, Properties = {} }]) => {
      const names = [REPLACES, REFUSED, RESETS].flatMap((table) => table[Type] ?? []).concat(IN_PARTS);
      const kept = names.filter((name) => Properties[name] !== undefined).map((name) => [name, Properties[name]]);
      return [id, { Type, Properties: Object.fromEntries(kept) }];
    }),
  );
}

/**
 * Says what an update from a release to a template would destroy, and what CloudFormation would refuse, in sentences
 * that name the resource and the property.
 *
 * @param released of {@link holdingData}
 */
export function consequences(released: Record<string, Resource>, current: Record<string, Resource>): string[] {
  return Object.entries(released).flatMap(([id, { Type, Properties: before = {} }]) => {
    const resource = current[id];
    const loss = LOSS[Type];
    if (resource?.Type !== Type) {
      return [`${id} would be removed: ${loss}`];
    }
    const after = resource.Properties ?? {};
    const changed = (table: Record<string, string[]>) =>
      (table[Type] ?? []).filter((property) => !isDeepStrictEqual(before[property], after[property]));
    return [
      ...changed(REPLACES).map((property) => `${property} of ${id} would change, which replaces it: ${loss}`),
      ...changed(RESETS).map((property) => `${property} of ${id} would change, which resets its value: ${loss}`),
      ...changed(REFUSED).map((property) => `CloudFormation would refuse to change ${property} of ${id}`),
      ...refusedParts(id, before, after),
    ];
  });
}

type Properties = NonNullable<Resource["Properties"]>;

/** An update can add or delete one index, not change it ("AWS::DynamoDB::Table GlobalSecondaryIndex"). */
function refusedParts(id: string, before: Properties, after: Properties): string[] {
  const [indexes, newIndexes] = [before, after].map(({ GlobalSecondaryIndexes: all = [] }) => byName(all, "IndexName"));
  const [types, newTypes] = [before, after].map(({ AttributeDefinitions: all = [] }) => byName(all, "AttributeName"));
  const inBoth = (one: Map<string, unknown> = new Map(), other: Map<string, unknown> = new Map()) =>
    [...one.keys()].filter((name) => other.has(name) && !isDeepStrictEqual(one.get(name), other.get(name)));
  const addedOrDeleted = [
    ...[...(newIndexes?.keys() ?? [])].filter((name) => !indexes?.has(name)),
    ...[...(indexes?.keys() ?? [])].filter((name) => !newIndexes?.has(name)),
  ];
  return [
    ...inBoth(indexes, newIndexes).map(
      (name) =>
        `CloudFormation would refuse to change GlobalSecondaryIndexes of ${id}: give what ${name} becomes another name`,
    ),
    ...inBoth(types, newTypes).map(
      (name) => `CloudFormation would refuse to change AttributeDefinitions of ${id}: ${name} has another type`,
    ),
    ...(addedOrDeleted.length > 1
      ? [
          `CloudFormation would refuse to change GlobalSecondaryIndexes of ${id}: ${addedOrDeleted.join(" and ")} are added or ` +
            "deleted at once; do it in two releases",
        ]
      : []),
  ];
}

function byName(parts: Properties[], name: string): Map<string, Properties> {
  return new Map(parts.map((part) => [part[name], part]));
}
