import { ArnFormat, Stack } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** The ARN of a resource in a construct's account and region, in the format `…:resource:name`. */
export function arnOf(construct: IConstruct, service: string, resource: string, resourceName: string): string {
  return Stack.of(construct).formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
}
