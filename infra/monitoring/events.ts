import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, byDimension, FIVE_MINUTES, type Graph, POINT } from "./metrics.ts";

/** The alarm on events that no receiver has accepted. */
export function eventsGivenUp(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "events-given-up", {
    problem: "An event was given up: its webhook is disabled, or did not accept it in ten attempts.",
    metric: applicationMetric(scope, "EventDeliveries", {
      dimensions: { outcome: "given-up" },
      statistic: "Sum",
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    severity: "notice",
  });
}

/** The alarm on users who wait for a person in vain: without a webhook, they were not told to wait. */
export function handoffsUnanswered(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "handoffs-unanswered", {
    problem: "A user was told that the care team is informed, and nobody has taken over the conversation in time.",
    metric: applicationMetric(scope, "UnansweredHandoffs", {
      dimensions: { told: "yes" },
      statistic: "Sum",
      period: Duration.hours(1),
    }),
    threshold: 1,
    severity: "notice",
  });
}

/** Attempts to send events, by what came of them, and requests for a person on which nobody acted. */
export function eventGraphs(scope: Construct): Graph[] {
  return [
    {
      title: "Events sent to webhooks, by outcome",
      left: [byDimension(scope, "EventDeliveries", "Sum", POINT)],
      stacked: true,
    },
    {
      title: "Requests for a person that nobody answered in time, by whether the user expects one",
      left: [byDimension(scope, "UnansweredHandoffs", "Sum", POINT)],
      stacked: true,
    },
  ];
}
