import {
  type CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { OperationError } from "./explain.ts";

/** The name of a stage's stack (`infra/service-app.ts`). */
export function stackName(stage: string): string {
  return `health-assistant-${stage}`;
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

/**
 * Lists the resources of a stage's stack.
 *
 * @throws OperationError when the stack does not exist; errors of the AWS SDK
 */
export async function stackResources(client: CloudFormationClient, stage: string): Promise<StackResourceSummary[]> {
  const StackName = stackName(stage);
  if (!(await describeStack(client, StackName))) {
    throw new OperationError(`The stack ${StackName} does not exist in this account and region; deploy it first.`);
  }
  const found: StackResourceSummary[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    found.push(...StackResourceSummaries);
  }
  return found;
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
