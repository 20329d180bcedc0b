import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { SubscriptionProtocol, Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import type { Encryption } from "../encryption.ts";
import type { Settings } from "../settings.ts";

/** Where alarms are sent to, and whoever the operator names is told. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, encryption: Encryption, { alarmAddress }: Settings) {
    super(scope, id, {
      displayName: Stack.of(scope).stackName, // what a mail is from
      masterKey: encryption.key,
      enforceSSL: true,
    });
    encryption.allowService("cloudwatch");
    const alarms = Stack.of(this).formatArn({
      service: "cloudwatch",
      resource: "alarm",
      resourceName: `${Stack.of(this).stackName}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: "Alarms",
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [this.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID }, ArnLike: { "aws:SourceArn": alarms } },
      }),
    );
    if (alarmAddress) {
      this.addSubscription({
        bind: () => ({
          subscriberId: "Operator",
          endpoint: alarmAddress,
          protocol: alarmAddress.startsWith("https:") ? SubscriptionProtocol.HTTPS : SubscriptionProtocol.EMAIL,
        }),
      });
    }
  }
}
