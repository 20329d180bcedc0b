import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Encryption } from "./encryption.ts";

export interface ServiceLogGroupProps {
  encryption: Encryption;
  /** One of the retention periods that CloudWatch Logs supports. */
  retentionDays: number;
  outlivesStack: boolean;
  /** Set where AWS requires a certain name; otherwise CloudFormation generates one. */
  name?: string;
}

/** A log group that is encrypted with the stack's key and has a retention period. */
export class ServiceLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { encryption, retentionDays, outlivesStack, name }: ServiceLogGroupProps) {
    super(scope, id, {
      encryptionKey: encryption.key,
      retention: retentionDays,
      removalPolicy: outlivesStack ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(name && { logGroupName: name }),
    });
    if (name) {
      encryption.allowLogGroup(name);
    }
  }
}
