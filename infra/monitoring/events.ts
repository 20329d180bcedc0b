import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { CfnPipe } from "aws-cdk-lib/aws-pipes";
import type { Construct } from "constructs";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, byDimension, FIVE_MINUTES, type Graph, POINT } from "./metrics.ts";

/**
 * Alarms on events that no receiver has accepted, on a stream that starts no runs, and on users who wait for a person
 * in vain.
 */
export function eventAlarms(scope: Construct, pipe: CfnPipe): ServiceAlarm[] {
  return [
    streamDown(scope, pipe),
    new ServiceAlarm(scope, "events-given-up", {
      problem: "An event was given up: its webhook is disabled, or did not accept it in ten attempts.",
      metric: applicationMetric(scope, "EventDeliveries", {
        dimensions: { outcome: "given-up" },
        period: FIVE_MINUTES,
      }),
      threshold: 1,
      severity: "notice",
    }),
    // It is off when the receiver accepts the event.
    new ServiceAlarm(scope, "events-late", {
      problem: "An event was not accepted for 15 minutes: its receiver is down, or events are not sent.",
      metric: applicationMetric(scope, "UndeliveredAge", { statistic: "Maximum", period: FIVE_MINUTES }),
      threshold: Duration.minutes(15).toSeconds(),
      severity: "notice",
    }),
    // Without a webhook, users are not told to wait.
    new ServiceAlarm(scope, "handoffs-unanswered", {
      problem: "A user was told that the care team is informed, and nobody has taken over the conversation in time.",
      metric: applicationMetric(scope, "UnansweredHandoffs", {
        dimensions: { told: "yes" },
        period: Duration.hours(1),
      }),
      threshold: 1,
      severity: "notice",
    }),
  ];
}

/**
 * The alarm on the pipe that starts a run with each new event. Without it, the runs of every minute send events, up to
 * a minute late, so nothing else shows that it has stopped. A stopped pipe writes no metric ("CloudWatch metrics" of
 * EventBridge Pipes): the sign is a day on which events were delivered and the pipe has started nothing.
 */
function streamDown(scope: Construct, pipe: CfnPipe): ServiceAlarm {
  const period = Duration.days(1);
  return new ServiceAlarm(scope, "event-stream-down", {
    problem: "For two days, events were only sent once a minute: their stream has started no run.",
    metric: new MathExpression({
      label: "days without a run started by the stream",
      // What has no value, such as the metrics of a stopped pipe, is left out of a sum.
      expression: "IF(delivered >= 5 AND SUM([started, delivered]) - SUM([failed, delivered]) < 1, 1, 0)",
      usingMetrics: {
        delivered: applicationMetric(scope, "EventDeliveries", { dimensions: { outcome: "delivered" }, period }),
        started: ofPipe(pipe, "Invocations", period),
        failed: ofPipe(pipe, "ExecutionFailed", period),
      },
      period,
    }),
    threshold: 1,
    periods: [2, 2],
    severity: "notice",
  });
}

function ofPipe(pipe: CfnPipe, metricName: string, period: Duration, label?: string): Metric {
  return new Metric({
    namespace: "AWS/EventBridge/Pipes",
    metricName,
    dimensionsMap: { PipeName: pipe.ref },
    statistic: "Sum",
    period,
    ...(label && { label }),
  });
}

export function eventGraphs(scope: Construct, pipe: CfnPipe): Graph[] {
  return [
    {
      title: "Events sent to webhooks, by outcome; age of the oldest that was not accepted",
      left: [byDimension(scope, "EventDeliveries", "Sum", POINT)],
      right: [applicationMetric(scope, "UndeliveredAge", { statistic: "Maximum", period: POINT, label: "oldest, s" })],
      stacked: true,
    },
    {
      title: "Requests for a person that nobody answered in time, by whether the user expects one",
      left: [byDimension(scope, "UnansweredHandoffs", "Sum", POINT)],
      stacked: true,
    },
    {
      title: "Runs started by the stream of events; failed and throttled ones",
      left: [ofPipe(pipe, "Invocations", POINT, "started")],
      right: [ofPipe(pipe, "ExecutionFailed", POINT, "failed"), ofPipe(pipe, "ExecutionThrottled", POINT, "throttled")],
    },
  ];
}
