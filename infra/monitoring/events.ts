import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, byDimension, FIVE_MINUTES, type Graph, POINT } from "./metrics.ts";

/** Alarms on events that no receiver has accepted, and on users who wait for a person in vain. */
export function eventAlarms(scope: Construct): ServiceAlarm[] {
  return [
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

export function eventGraphs(scope: Construct): Graph[] {
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
  ];
}
