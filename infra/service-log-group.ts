import { RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Settings } from "./settings.ts";

export interface ServiceLogGroupProps {
  key: IKey;
  settings: Settings;
  /** One of the retention periods that CloudWatch Logs supports; that of the settings by default. */
  retentionDays?: number;
  /** As the data does by default. */
  outlivesStack?: boolean;
  /** Set where AWS requires a certain name, which the key's policy must contain; CloudFormation generates others. */
  name?: string;
}

/** A log group that is encrypted with the data's key and has a retention period. */
export class ServiceLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { key, settings, name, ...props }: ServiceLogGroupProps) {
    const { retentionDays = settings.logRetentionDays, outlivesStack = settings.keepsData } = props;
    super(scope, id, {
      encryptionKey: key,
      retention: retentionDays,
      removalPolicy: outlivesStack ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(name && { logGroupName: name }),
    });
  }
}
