import { RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

export interface ServiceLogGroupProps {
  key: IKey;
  /** One of the retention periods that CloudWatch Logs supports. */
  retentionDays: number;
  outlivesStack: boolean;
  /** Set where AWS requires a certain name, which the key's policy must contain; CloudFormation generates others. */
  name?: string;
}

export class ServiceLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { key, retentionDays, outlivesStack, name }: ServiceLogGroupProps) {
    super(scope, id, {
      encryptionKey: key,
      retention: retentionDays,
      removalPolicy: outlivesStack ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(name && { logGroupName: name }),
    });
  }
}
