import { type CloudFormationClient, DeleteChangeSetCommand } from "@aws-sdk/client-cloudformation";
import { cdk, type Deployment, deployOf, newChangeSet } from "./cdk.ts";
import { type ChangeSet, type Loss, readChangeSet } from "./losses.ts";

export const ALLOW_LOSS = "--allow-loss";

/** A change set that is ready to be executed, or the exit code of the CDK that could not prepare it. */
type Prepared = { failed: number } | (ChangeSet & { execute(): Promise<number>; discard(): Promise<unknown> });

async function prepare(client: CloudFormationClient, stack: string, deployment: Deployment): Promise<Prepared> {
  const changeSet = newChangeSet();
  const deploy = deployOf(stack, deployment, changeSet);
  // The CDK asks for an approval, if it needs one, when it executes the change set.
  process.env.CDK_REQUIRE_APPROVAL = "never";
  const failed = await cdk(...deploy, "--method=prepare-change-set");
  delete process.env.CDK_REQUIRE_APPROVAL;
  if (failed !== 0) {
    return { failed };
  }
  return {
    ...(await readChangeSet(client, stack, changeSet)),
    execute: () => cdk(...deploy, "--method=execute-change-set"),
    discard: () => client.send(new DeleteChangeSetCommand({ StackName: stack, ChangeSetName: changeSet })),
  };
}

/**
 * Updates the service: prepares a change set, and executes that very change set if it loses nothing.
 *
 * @returns the exit code
 */
export async function updateService(client: CloudFormationClient, stack: string, deployment: Deployment) {
  const prepared = await prepare(client, stack, deployment);
  if ("failed" in prepared) {
    return prepared.failed;
  }
  const refused = refusedOf(prepared.losses, deployment);
  if (!prepared.empty && refused.length === 0) {
    return prepared.execute();
  }
  await prepared.discard();
  return prepared.empty ? 0 : refuse(stack, refused);
}

/**
 * Updates the data, and deploys the service that uses them: before it, unless something is removed. CloudFormation
 * removes nothing that a service imports, so a removal waits for the service that does without it. If nobody allowed
 * the removal, it is not carried out at all, since the service of an earlier release ignores what a later one added.
 *
 * @param service deploys the service, and returns the exit code
 * @param isServiceUp whether a service imports the data
 * @returns the exit code
 */
export async function updateData(
  client: CloudFormationClient,
  stack: string,
  deployment: Deployment,
  { service, isServiceUp }: { service: () => Promise<number>; isServiceUp: boolean },
): Promise<number> {
  const prepared = await prepare(client, stack, deployment);
  if ("failed" in prepared) {
    return prepared.failed;
  }
  const { losses, onlyRemoves, leaving, empty, execute, discard } = prepared;
  const refused = refusedOf(losses, deployment);
  const inUse = isServiceUp && leaving.length > 0;
  if (!empty && refused.length === 0 && !inUse) {
    return (await execute()) || service();
  }
  await discard();
  if (empty) {
    return service();
  }
  if (!onlyRemoves) {
    return refused.length > 0 ? refuse(stack, refused) : refuseInUse(stack, leaving);
  }
  if (refused.length > 0) {
    leave(stack, refused);
    return service();
  }
  return (await service()) || updateData(client, stack, deployment, { service: async () => 0, isServiceUp: false });
}

function refusedOf(losses: Loss[], { allowed }: Deployment): Loss[] {
  return losses.filter(({ logicalId }) => !allowed.includes(logicalId));
}

const sentencesOf = (losses: Loss[]) => losses.map(({ sentence }) => `${sentence}\n`).join("");

const allowing = (losses: Loss[]) => losses.map(({ logicalId }) => `${ALLOW_LOSS} ${logicalId}`).join(" ");

function refuse(stack: string, losses: Loss[]): number {
  process.stderr.write(
    `${sentencesOf(losses)}Nothing was changed in ${stack}. If the loss is intended, add ${allowing(losses)}.\n`,
  );
  return 1;
}

/** CloudFormation would roll back: "Export … cannot be updated as it is in use by …". */
function refuseInUse(stack: string, leaving: string[]): number {
  process.stderr.write(
    `Nothing was changed in ${stack}: CloudFormation neither replaces nor renames what a service uses (${leaving.join(", ")}). ` +
      "Delete the service's stack, and deploy again (docs/runbook.md, Creating the service again).\n",
  );
  return 1;
}

function leave(stack: string, losses: Loss[]): void {
  process.stderr.write(
    `${sentencesOf(losses)}So ${stack} is left as it is, with everything in it, and only the service is deployed. To remove what ` +
      `it no longer uses, deploy again with ${allowing(losses)}.\n`,
  );
}
