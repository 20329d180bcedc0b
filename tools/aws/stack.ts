import {
  type CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { OperationError } from "./explain.ts";

/** The names of a stage's stacks (`infra/service-app.ts`), in the order in which they are deployed. */
export function stackNames(stage: string): { data: string; service: string } {
  const service = `health-assistant-${stage}`;
  return { data: `${service}-data`, service };
}

/** @returns the stack; undefined if it does not exist */
export async function describeStack(client: CloudFormationClient, name: string): Promise<Stack | undefined> {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: name }))).Stacks?.[0];
  } catch (error) {
    // CloudFormation has no error of its own for this.
    if (error instanceof CloudFormationServiceException && /does not exist/.test(error.message)) {
      return undefined;
    }
    throw error;
  }
}

/** A deployed stack, and its resources. */
export interface DeployedStack {
  stack: Stack;
  resources: StackResourceSummary[];
}

/** @throws OperationError when the stack does not exist; errors of the AWS SDK */
export async function readStack(client: CloudFormationClient, StackName: string): Promise<DeployedStack> {
  const stack = await describeStack(client, StackName);
  if (!stack) {
    throw new OperationError(`The stack ${StackName} does not exist in this account and region; deploy it first.`);
  }
  const pages = await Array.fromAsync(paginateListStackResources({ client }, { StackName }));
  return { stack, resources: pages.flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries) };
}

/**
 * Finds the only resource of a type.
 *
 * @param logicalId the beginning of the logical ID
 * @returns the physical ID
 * @throws OperationError when there is none, or more than one
 */
export function onlyResource(resources: StackResourceSummary[], type: string, logicalId = ""): string {
  const found = resources.filter(
    ({ ResourceType, LogicalResourceId = "" }) => ResourceType === type && LogicalResourceId.startsWith(logicalId),
  );
  if (found.length !== 1) {
    throw new OperationError(`The stack has ${found.length} resources of type ${type}, instead of one.`);
  }
  return found[0]?.PhysicalResourceId ?? "";
}

/** @throws OperationError when the stack has none */
export function patientsTable(resources: StackResourceSummary[]): string {
  return onlyResource(resources, "AWS::DynamoDB::Table", "TablesPatients");
}
