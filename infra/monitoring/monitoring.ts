import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import {
  type Alarm,
  type AlarmBase,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { SWEEP_INTERVAL_SECONDS } from "../../shared/threads/thread.ts";
import type { Api } from "../api.ts";
import type { Data } from "../data-stack.ts";
import type { EventDelivery } from "../event-delivery.ts";
import type { ServiceFunction } from "../service-function.ts";
import type { Settings } from "../settings.ts";
import { SWEEP_PARTS, type SweepSchedule } from "../sweep-schedule.ts";
import { AlarmTopic, outageAlarm, type Severity } from "./alarms.ts";
import { eventAlarms, eventGraphs } from "./events.ts";
import { feedbackGraphs } from "./feedback.ts";
import { keysUnreadable, warnOfLostKeys } from "./keys.ts";
import type { Graph } from "./metrics.ts";
import {
  modelErrors,
  modelFailures,
  modelGraphs,
  modelRefuses,
  tokenGraphs,
  tokens,
  verdictsMissing,
} from "./model.ts";
import { OutsideCheck } from "./outside-check.ts";
import { saveQueries } from "./queries.ts";
import {
  apiErrors,
  callerGraphs,
  certificateExpiring,
  chatsDown,
  countRejections,
  functionLatency,
  gatewayDown,
  gatewayGraph,
  gatewayLatency,
  quotaGraphs,
  requestAlarms,
  requestCount,
  requestGraphs,
} from "./requests.ts";
import { backupAlarms, databaseGraphs, databaseThrottled, usageGraphs, warnOfFailedCopies } from "./resources.ts";
import { addWhatToDo } from "./runbook.ts";
import { sourcesGraph, sourcesMissing } from "./sources.ts";
import { completedSweeps, sweepGraphs, sweepMissing, threadAlarms, threadGraphs } from "./threads.ts";

interface MonitoringProps {
  api: Api;
  /** Every function by its name. */
  functions: Record<string, ServiceFunction>;
  data: Data;
  sweep: SweepSchedule;
  delivery: EventDelivery;
  settings: Settings;
}

/** A dashboard is 24 units wide. */
const WIDTH = 24;

/** What operators monitor the service with: alarms, a dashboard and saved queries. */
export class Monitoring extends Construct {
  /**
   * The alarm on all requests, which rolls back a deployment where functions have no alarms: in the profile small. In
   * the other one, it would only repeat theirs.
   */
  readonly apiErrors: Alarm | undefined;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { api, settings } = props;
    const functions = Object.values(props.functions);
    if (settings.monitoring === "full") {
      countRejections(this, api.accessLog);
    }
    this.apiErrors = settings.alarms && settings.monitoring === "essential" ? apiErrors(this) : undefined;
    const alarms = settings.alarms ? this.addAlarms(this.apiErrors, props) : [];
    const dashboard = this.addDashboard(alarms, props);
    addWhatToDo(Stack.of(this), settings);
    saveQueries(this, [...new Set(functions.map(({ logGroup }) => logGroup))]);
    const { region } = Stack.of(this);
    new CfnOutput(Stack.of(this), "DashboardUrl", {
      value: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboard.dashboardName}`,
      description: "The dashboard: start here",
    });
  }

  /** Adds the alarms. The small profile only has those on what a clinic notices first and on cost. */
  private addAlarms(errors: Alarm | undefined, props: MonitoringProps): IAlarm[] {
    const { api, data, delivery, settings, sweep } = props;
    const functions = Object.values(props.functions);
    const full = settings.monitoring === "full";
    const alarms = [
      modelRefuses(this),
      tokens(this, settings),
      gatewayDown(this, api.accessLog),
      sweepMissing(this, [delivery.function.metricInvocations(), requestCount(this)]),
      ...backupAlarms(this, data.backups.vault, sweep.function),
      ...eventAlarms(this, delivery.pipe),
      ...(settings.outsideCheckMinutes > 0
        ? [new OutsideCheck(this, "OutsideCheck", `${api.baseUrl}/openapi.json`, settings.outsideCheckMinutes).failing]
        : []),
      ...(settings.domain ? [certificateExpiring(this, settings.domain)] : []),
      ...(full
        ? [
            ...requestAlarms(this, api, settings),
            chatsDown(
              this,
              [api.functions.chat, api.functions.openai].flatMap(({ failing }) => failing ?? []),
            ),
            modelErrors(this, settings),
            verdictsMissing(this),
            sourcesMissing(this),
            ...databaseThrottled(this, data.tables),
            ...threadAlarms(this),
            keysUnreadable(
              this,
              functions.filter((fn) => fn.readsSecrets),
            ),
          ]
        : []),
    ];
    const failing = new Map(
      Object.entries(props.functions).flatMap(([name, fn]) =>
        fn.failing ? [[fn.failing, severityOf(name, fn, api)] as const] : [],
      ),
    );
    const all = [
      ...(errors ? [{ alarm: errors, severity: "outage" }] : []),
      ...alarms.map((alarm) => ({ alarm, severity: alarm.severity })),
      ...[...failing].map(([alarm, severity]) => ({ alarm, severity })),
    ];
    const alarmsOf = (severity: Severity) => all.filter((one) => one.severity === severity).map(({ alarm }) => alarm);
    const outage = outageAlarm(this, alarmsOf("outage"));
    const { alarmAddress, noticeAddress } = settings;
    const urgentTopic = new AlarmTopic(this, "Alarms", alarmAddress || noticeAddress);
    const noticeTopic = new AlarmTopic(this, "Notices", noticeAddress || alarmAddress);
    notify(urgentTopic, [outage, ...alarmsOf("urgent")]);
    // Without a message when one is over: what can wait until the morning is looked up then.
    addActions(noticeTopic, alarmsOf("notice"));
    warnOfLostKeys(this, data.keyNames, urgentTopic, settings);
    if (settings.backupCopyVault.startsWith("arn:")) {
      warnOfFailedCopies(this, data.backups.vault, noticeTopic, settings);
    }
    new CfnOutput(Stack.of(this), "AlarmTopic", {
      value: urgentTopic.topicArn,
      description: "Subscribe here to be notified of urgent alarms",
    });
    new CfnOutput(Stack.of(this), "NoticeTopic", {
      value: noticeTopic.topicArn,
      description: "Subscribe here to be notified of alarms that can wait until the morning",
    });
    return [outage, ...all.map(({ alarm }) => alarm)];
  }

  /** Adds the dashboard: an operator's questions, from top to bottom, each with the graphs that answer it. */
  private addDashboard(
    alarms: IAlarm[],
    { api, functions, data, sweep, delivery, settings }: MonitoringProps,
  ): Dashboard {
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
    if (alarms.length > 0) {
      const runbook = settings.runbookUrl ? `[runbook](${settings.runbookUrl}#alarms)` : "runbook, docs/runbook.md";
      const markdown = `## Which alarms are on?\nWhat to do about each is in its description and in the ${runbook}.`;
      dashboard.addWidgets(new TextWidget({ markdown, width: WIDTH, height: 2 }));
      dashboard.addWidgets(new AlarmStatusWidget({ title: "Alarms", alarms, width: WIDTH, height: 4 }));
    }
    const full = settings.monitoring === "full";
    ask(
      "Is it up?",
      "requests arrive, and few of them end with a 5xx.",
      full ? requestGraphs(this, api, Object.values(functions)) : [gatewayGraph(api)],
    );
    ask("Is it slow?", "a chat takes as long as the model; everything else takes milliseconds.", [
      gatewayLatency(api),
      functionLatency(functions),
    ]);
    ask(
      "Is it the model?",
      "few calls fail, including those that a retry or the fallback hides from callers.",
      full ? modelGraphs(this) : [modelFailures(this)],
    );
    if (full) {
      ask(
        "Are the answers any good?",
        "few are rated as bad, whichever model and version of its instructions wrote them, and none lacks a source.",
        [...feedbackGraphs(this), sourcesGraph(this)],
      );
      ask("Is it the database?", "no throttling and no system errors.", databaseGraphs(data.tables));
    }
    ask(
      "Is it the sweep?",
      `its ${SWEEP_PARTS} parts complete every ${SWEEP_INTERVAL_SECONDS / 60} minutes, and all removals succeed.`,
      full ? sweepGraphs(this, sweep) : [completedSweeps(this)],
    );
    if (full) {
      ask(
        "Do events arrive, and does somebody act on them?",
        "webhooks accept what they are sent, and somebody takes over whenever a user was told that the care team is informed.",
        eventGraphs(this, delivery.pipe),
      );
      ask("Are there IDs for new threads?", "finding a free ID takes one or two tries.", threadGraphs(this));
      ask(
        "Who is calling?",
        "nobody is guessing keys. The saved query `top-clients` lists the clients with their requests and tokens.",
        callerGraphs(this, settings),
      );
      ask(
        "Is a client at its limits?",
        "no quota is used up, and nobody is guessing IDs. The saved query `clients-at-their-limits` names the clients.",
        quotaGraphs(this),
      );
    }
    ask("What does it cost?", "tokens cost most, followed by functions, the database and logs.", [
      ...tokenGraphs(this),
      ...(full ? usageGraphs(functions, data.tables) : []),
    ]);
    return dashboard;
  }
}

/** The severity of the failures of functions that have an alarm of their own, or of their group. */
function severityOf(name: string, { failing }: ServiceFunction, { groups }: Api): Severity {
  if (["chat", "openai", "create-thread"].includes(name)) {
    return "outage";
  }
  return name === "sweep-threads" || failing === groups.extras.failing ? "notice" : "urgent";
}

/** Sends a message when an alarm goes off. */
function addActions(topic: AlarmTopic, alarms: AlarmBase[]): void {
  for (const alarm of alarms) {
    alarm.addAlarmAction(new SnsAction(topic));
  }
}

/** Sends a message when an alarm goes off, and when it is over. */
function notify(topic: AlarmTopic, alarms: AlarmBase[]): void {
  addActions(topic, alarms);
  for (const alarm of alarms) {
    alarm.addOkAction(new SnsAction(topic));
  }
}
