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

/**
 * Finds the tables, keys, secrets and vaults that a change set replaces or removes. Renaming a construct does both: the
 * resource is removed under its old logical ID and added under a new one.
 *
 * @param changes of `DescribeChangeSet`
 */
export function lossesIn(changes: Change[]): Loss[] {
  return changes.flatMap(({ ResourceChange: change = {} }) => {
    const lost = LOST[change.ResourceType ?? ""];
    const fate = fateOf(change);
    const logicalId = change.LogicalResourceId ?? "";
    const kind = change.ResourceType?.split("::").at(-1);
    return lost && fate ? [{ logicalId, sentence: `The ${kind} ${logicalId} ${fate}: ${lost}.` }] : [];
  });
}

/**
 * "ResourceChange" of the CloudFormation API Reference; a replacement that depends on a runtime value is `Conditional`.
 */
function fateOf({ Action, Replacement }: NonNullable<Change["ResourceChange"]>): string | undefined {
  if (Action === "Remove") {
    return "would be removed";
  }
  if (Action === "Modify" && Replacement === "True") {
    return "would be replaced";
  }
  return Action === "Dynamic" || (Action === "Modify" && Replacement === "Conditional")
    ? "might be replaced"
    : undefined;
}

/** A change set that `cdk deploy` prepared. */
export interface ChangeSet {
  losses: Loss[];
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
  return { losses: lossesIn(changes), empty: status === "FAILED" };
}
