import { CfnOutput, Stack } from "aws-cdk-lib";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import type { ServiceStack } from "../service-stack.ts";
import type { Settings } from "../settings.ts";
import { AlarmTopic } from "./alarm-topic.ts";
import { backupAlarms } from "./backup-alarms.ts";
import { capacityAlarms } from "./capacity-alarms.ts";
import { ServiceDashboard } from "./dashboard.ts";
import { modelAlarms } from "./model-alarms.ts";
import { saveQueries } from "./queries.ts";
import { requestAlarms } from "./request-alarms.ts";
import { threadAlarms } from "./thread-alarms.ts";
import { countThrottled } from "./throttling.ts";

/** What an operator watches the service by: alarms that say so when something is wrong, a dashboard, saved queries. */
export class Monitoring extends Construct {
  constructor(stack: ServiceStack, id: string, settings: Settings) {
    super(stack, id);
    const functions = Object.values(stack.functions);
    countThrottled(this, stack.api.accessLog);
    const alarms = [
      ...requestAlarms(this, stack.api),
      ...modelAlarms(this, settings),
      ...capacityAlarms(this, functions, stack.tables),
      ...threadAlarms(this, stack.sweep.deadLetters),
      ...backupAlarms(this, stack.backups.vault),
      ...functions.map(({ failing }) => failing),
    ];
    const topic = new AlarmTopic(this, "Alarms", stack.encryption, settings);
    const tell = new SnsAction(topic);
    for (const alarm of alarms) {
      alarm.addAlarmAction(tell);
      alarm.addOkAction(tell);
    }
    const dashboard = new ServiceDashboard(this, "Dashboard", stack, alarms);
    saveQueries(
      this,
      functions.map(({ logGroup }) => logGroup),
    );
    this.addOutputs(topic, dashboard);
  }

  private addOutputs(topic: AlarmTopic, dashboard: ServiceDashboard): void {
    const { region } = Stack.of(this);
    new CfnOutput(Stack.of(this), "AlarmTopic", {
      value: topic.topicArn,
      description: "Subscribe here to be told of alarms",
    });
    new CfnOutput(Stack.of(this), "DashboardUrl", {
      value: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboard.dashboardName}`,
      description: "What an operator looks at first",
    });
  }
}
