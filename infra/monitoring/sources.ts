import type { Construct } from "constructs";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, FIVE_MINUTES, type Graph, POINT } from "./metrics.ts";

/** The alarm on a clinic's sources that chats cannot use. */
export function sourcesMissing(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "sources-missing", {
    problem: "Chats go on without a source of their clinic, or without all of them.",
    metric: applicationMetric(scope, "SourcesMissing", { period: FIVE_MINUTES }),
    threshold: 1,
    severity: "notice",
  });
}

export function sourcesGraph(scope: Construct): Graph {
  return {
    title: "Chats without a source of their clinic",
    left: [applicationMetric(scope, "SourcesMissing", { period: POINT, label: "chats" })],
  };
}
