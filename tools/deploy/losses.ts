import { type Change, type CloudFormationClient, paginateDescribeChangeSet } from "@aws-sdk/client-cloudformation";

/** What is lost when CloudFormation replaces or removes a resource of a type. A replacement starts out empty. */
const LOST: Record<string, string> = {
  "AWS::DynamoDB::Table": "the service would no longer find any item in this table, such as patients' records",
  "AWS::KMS::Key": "what is encrypted with this key, such as tables and backups, could not be read once it is deleted",
  "AWS::SecretsManager::Secret": "the API keys or the model provider's key in this secret would stop working",
  "AWS::Backup::BackupVault": "the plan would start an empty vault, and lose track of the backups in this one",
};

/** A resource whose contents a change set loses. */
export interface Loss {
  logicalId: string;
  /** One sentence: the resource, what happens to it, and what is lost. */
  sentence: string;
}

type Resource = NonNullable<Change["ResourceChange"]>;

/**
 * Finds the tables, keys, secrets and vaults that a change set replaces or removes, and the secrets whose values it
 * resets. Renaming a construct does both: the resource is removed under its old logical ID and added under a new one.
 *
 * @param changes of `DescribeChangeSet`
 */
export function lossesIn(changes: Change[]): Loss[] {
  const inPlace = new Set(
    changes.flatMap(({ ResourceChange: change }) =>
      change?.Action === "Modify" && change.Replacement === "False" ? [change.LogicalResourceId ?? ""] : [],
    ),
  );
  return changes.flatMap(({ ResourceChange: change = {} }) => {
    const lost = LOST[change.ResourceType ?? ""];
    const fate = lost && fateOf(change, inPlace);
    const logicalId = change.LogicalResourceId ?? "";
    const kind = change.ResourceType?.split("::").at(-1);
    return fate ? [{ logicalId, sentence: `The ${kind} ${logicalId} ${fate}: ${lost}.` }] : [];
  });
}

/** "ResourceChange" of the CloudFormation API Reference. */
function fateOf(change: Resource, inPlace: ReadonlySet<string>): string | undefined {
  const { Action, Replacement } = change;
  if (Action === "Remove") {
    return "would be removed";
  }
  if (Action === "Modify" && Replacement === "True") {
    return "would be replaced";
  }
  if (
    Action === "Dynamic" ||
    (Action === "Modify" && Replacement === "Conditional" && mayBeReplaced(change, inPlace))
  ) {
    return "might be replaced";
  }
  return Action === "Modify" && resetsValue(change) ? "would get a new value" : undefined;
}

/**
 * Whether a replacement that depends on a value unknown before the update can happen. CloudFormation calls it
 * `Conditional` as soon as a resource changes that another one refers to. If that resource is changed in place, its ARN
 * stays the same, as when the policy of a vault's key changes, and so does the resource that refers to it.
 */
function mayBeReplaced({ Details = [] }: Resource, inPlace: ReadonlySet<string>): boolean {
  const recreating = Details.filter(({ Target }) => Target?.RequiresRecreation !== "Never");
  const harmless = recreating.filter(
    ({ Evaluation, CausingEntity = "" }) => Evaluation === "Dynamic" && inPlace.has(CausingEntity.split(".")[0] ?? ""),
  );
  return recreating.length === 0 || harmless.length < recreating.length;
}

/** CloudFormation writes a secret's value again when these change ("AWS::SecretsManager::Secret"). */
const VALUE_OF_SECRET = ["GenerateSecretString", "SecretString"];

function resetsValue({ ResourceType, Details = [] }: Resource): boolean {
  return (
    ResourceType === "AWS::SecretsManager::Secret" &&
    Details.some(({ Target }) => VALUE_OF_SECRET.includes(Target?.Name ?? ""))
  );
}

/**
 * How a change set loses what holds data. Only a change set that does nothing but remove some of it leaves all that an
 * earlier service uses. It does more if it adds some, since that may be the same under another name.
 */
export function lossKind(changes: Change[]): Pick<ChangeSet, "onlyRemoves" | "leaving"> {
  const holding = changes.flatMap(({ ResourceChange: change }) =>
    change && LOST[change.ResourceType ?? ""] ? [change] : [],
  );
  const removed = holding.filter(({ Action }) => Action === "Remove");
  const replaced = holding.filter(({ Action, Replacement }) => Action === "Modify" && Replacement === "True");
  return {
    onlyRemoves: lossesIn(changes).length === removed.length && !holding.some(({ Action }) => Action === "Add"),
    leaving: [...removed, ...replaced].map(({ LogicalResourceId = "" }) => LogicalResourceId),
  };
}

/** A change set that `cdk deploy` prepared. */
export interface ChangeSet {
  losses: Loss[];
  /** Whether it only loses what it removes. */
  onlyRemoves: boolean;
  /** The logical IDs of what certainly leaves, removed or replaced. */
  leaving: string[];
  /** Whether it changes anything; CloudFormation marks one that does not as failed. */
  empty: boolean;
}

/** @throws errors of the AWS SDK */
export async function readChangeSet(client: CloudFormationClient, stack: string, name: string): Promise<ChangeSet> {
  const changes: Change[] = [];
  let status: string | undefined;
  for await (const page of paginateDescribeChangeSet({ client }, { StackName: stack, ChangeSetName: name })) {
    changes.push(...(page.Changes ?? []));
    status = page.Status;
  }
  return { losses: lossesIn(changes), ...lossKind(changes), empty: status === "FAILED" };
}
