import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, TextWidget } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import type { Api } from "../api.ts";
import type { Backups } from "../backups.ts";
import type { Encryption } from "../encryption.ts";
import type { ServiceFunction } from "../service-function.ts";
import type { Settings } from "../settings.ts";
import type { SweepSchedule } from "../sweep-schedule.ts";
import type { Tables } from "../tables.ts";
import { AlarmTopic } from "./alarms.ts";
import type { Graph } from "./metrics.ts";
import { modelAlarms, modelGraphs, tokenGraphs } from "./model.ts";
import { saveQueries } from "./queries.ts";
import { callerGraphs, countThrottled, latencyGraphs, requestAlarms, requestGraphs } from "./requests.ts";
import { backupAlarms, capacityAlarms, databaseGraphs, usageGraphs } from "./resources.ts";
import { sweepGraphs, threadAlarms, threadGraphs } from "./threads.ts";

interface MonitoringProps {
  api: Api;
  /** Every function by its name. */
  functions: Record<string, ServiceFunction>;
  tables: Tables;
  sweep: SweepSchedule;
  backups: Backups;
  encryption: Encryption;
  settings: Settings;
}

/** A dashboard is 24 units wide. */
const WIDTH = 24;

/** What operators monitor the service with: alarms that notify them, a dashboard, saved queries. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { api, tables, sweep, backups, encryption, settings } = props;
    const functions = Object.values(props.functions);
    countThrottled(this, api.accessLog);
    const alarms = [
      ...requestAlarms(this, api),
      ...modelAlarms(this, settings),
      ...capacityAlarms(this, functions, tables),
      ...threadAlarms(this, sweep),
      ...backupAlarms(this, backups.vault),
      ...functions.map(({ failing }) => failing),
    ];
    const topic = new AlarmTopic(this, "Alarms", encryption, settings);
    const notify = new SnsAction(topic);
    for (const alarm of alarms) {
      alarm.addAlarmAction(notify);
      alarm.addOkAction(notify);
    }
    const dashboard = this.addDashboard(alarms, props);
    saveQueries(
      this,
      functions.map(({ logGroup }) => logGroup),
    );
    this.addOutputs(topic, dashboard);
  }

  /** An operator's questions, from top to bottom, each with the graphs that answer it. */
  private addDashboard(alarms: Alarm[], { api, functions, tables, sweep }: MonitoringProps): Dashboard {
    const dashboard = new Dashboard(this, "Dashboard", {
      dashboardName: Stack.of(this).stackName,
      defaultInterval: Duration.hours(3),
    });
    const ask = (question: string, whenWell: string, graphs: Graph[]) => {
      const markdown = `## ${question}\nNormally: ${whenWell}`;
      dashboard.addWidgets(new TextWidget({ markdown, width: WIDTH, height: 2 }));
      const width = Math.floor(WIDTH / graphs.length);
      dashboard.addWidgets(...graphs.map((graph) => new GraphWidget({ ...graph, width, height: 6 })));
    };
    dashboard.addWidgets(
      new AlarmStatusWidget({ title: "Alarms (runbook: docs/operations.md)", alarms, width: WIDTH, height: 4 }),
    );
    ask(
      "Is it up?",
      "requests arrive, and few of them end with a 5xx.",
      requestGraphs(this, api, Object.values(functions)),
    );
    ask(
      "Is it slow?",
      "a chat takes as long as the model; everything else takes milliseconds.",
      latencyGraphs(this, api, functions),
    );
    ask(
      "Is it the model?",
      "few calls fail, including those that a retry or the fallback hides from callers.",
      modelGraphs(this),
    );
    ask("Is it the database?", "no throttling and no system errors.", databaseGraphs(tables));
    ask("Is it the sweep?", "one completes every 10 minutes, and all removals succeed.", sweepGraphs(this, sweep));
    ask("Are there ids for new threads?", "finding a free ID takes one or two tries.", threadGraphs(this));
    ask("Who is calling?", "no client dominates, and nobody is guessing keys.", callerGraphs(this));
    ask("What does it cost?", "tokens cost most, followed by functions, the database and logs.", [
      ...tokenGraphs(this),
      ...usageGraphs(functions, tables),
    ]);
    return dashboard;
  }

  private addOutputs(topic: AlarmTopic, { dashboardName }: Dashboard): void {
    const { region } = Stack.of(this);
    new CfnOutput(Stack.of(this), "AlarmTopic", {
      value: topic.topicArn,
      description: "Subscribe here to be notified of alarms",
    });
    new CfnOutput(Stack.of(this), "DashboardUrl", {
      value: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`,
      description: "The dashboard: start here",
    });
  }
}
