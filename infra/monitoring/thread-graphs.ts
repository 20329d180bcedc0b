import { Duration } from "aws-cdk-lib";
import { SWEEP_INTERVAL_SECONDS } from "../../shared/threads/thread.ts";
import type { ServiceStack } from "../service-stack.ts";
import { applicationMetric } from "./application-metric.ts";
import { type Graph, POINT } from "./graph.ts";

const INTERVAL = Duration.seconds(SWEEP_INTERVAL_SECONDS);

/** Whether expired threads go, and when. */
export function sweepGraphs(stack: ServiceStack): Graph[] {
  const { sweep } = stack;
  const perRun = (name: string, statistic: string, label: string) =>
    applicationMetric(stack, name, { statistic, period: INTERVAL, label });
  return [
    { title: "Sweeps that ended well", left: [perRun("SweepCompleted", "Sum", "completed")] },
    {
      title: "Threads removed",
      left: [perRun("SweptThreads", "Sum", "removed")],
      right: [perRun("SweepFailures", "Sum", "could not be removed")],
    },
    {
      title: "How late, how long",
      left: [perRun("SweepLag", "Maximum", "after it was due, s")],
      right: [sweep.function.metricDuration({ statistic: "Maximum", period: INTERVAL, label: "run, ms" })],
    },
    {
      title: "Dead letters",
      left: [sweep.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum", label: "waiting" })],
    },
  ];
}

/** How full the space of thread ids is. */
export function threadGraphs(stack: ServiceStack): Graph[] {
  return [
    {
      title: "New threads",
      left: [applicationMetric(stack, "ThreadsCreated", { statistic: "Sum", period: POINT, label: "created" })],
    },
    {
      title: "Tries for a free id: 3.33 is 70 % taken",
      left: [applicationMetric(stack, "ThreadIdTries", { statistic: "Average", period: POINT, label: "tries" })],
      right: [applicationMetric(stack, "ThreadIdsExhausted", { statistic: "Sum", period: POINT, label: "none found" })],
    },
  ];
}
