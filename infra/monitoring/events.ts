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

/** Attempts to send events, by what came of them. */
export function eventGraphs(scope: Construct): Graph[] {
  return [
    {
      title: "Events sent to webhooks, by outcome",
      left: [byDimension(scope, "EventDeliveries", "Sum", POINT)],
      stacked: true,
    },
  ];
}
