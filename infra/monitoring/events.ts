import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, byDimension, FIVE_MINUTES, type Graph, POINT } from "./metrics.ts";

/** The alarm on events that no receiver has accepted. */
export function eventsGivenUp(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "events-given-up", {
    problem: "An event was given up: its webhook is disabled, or did not accept it in ten attempts.",
    metric: applicationMetric(scope, "EventDeliveries", { dimensions: { outcome: "given-up" }, period: FIVE_MINUTES }),
    threshold: 1,
    severity: "notice",
  });
}

/** The alarm on an event that is still not delivered. It is off when the receiver accepts it. */
export function eventsLate(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "events-late", {
    problem: "An event was not accepted for 15 minutes: its receiver is down, or events are not sent.",
    metric: applicationMetric(scope, "UndeliveredAge", { statistic: "Maximum", period: FIVE_MINUTES }),
    threshold: Duration.minutes(15).toSeconds(),
    severity: "notice",
  });
}

/** The alarm on users who wait for a person in vain: without a webhook, they were not told to wait. */
export function handoffsUnanswered(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "handoffs-unanswered", {
    problem: "A user was told that the care team is informed, and nobody has taken over the conversation in time.",
    metric: applicationMetric(scope, "UnansweredHandoffs", { dimensions: { told: "yes" }, period: Duration.hours(1) }),
    threshold: 1,
    severity: "notice",
  });
}

/** Attempts to send events, by what came of them, and requests for a person on which nobody acted. */
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
