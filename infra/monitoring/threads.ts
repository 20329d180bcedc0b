import { Duration } from "aws-cdk-lib";
import { MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { SWEEP_INTERVAL_SECONDS } from "../../shared/threads/thread.ts";
import { SWEEP_PARTS, type SweepSchedule } from "../sweep-schedule.ts";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, FIVE_MINUTES, type Graph, POINT } from "./metrics.ts";

const INTERVAL = Duration.seconds(SWEEP_INTERVAL_SECONDS);

/** The share of thread IDs in use above which an alarm goes off. */
const FULL = 0.7;

/** The alarm on a sweep that does not run or does not complete. */
export function sweepMissing(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "sweep-missing", {
    problem: "For 30 minutes, no sweep has succeeded in all its parts.",
    // 1 for a period without a complete sweep. If the value were missing, CloudWatch would look further back and raise
    // the alarm late.
    metric: new MathExpression({
      label: "no sweep",
      expression: `FILL(completed, 0) < ${SWEEP_PARTS}`,
      usingMetrics: { completed: applicationMetric(scope, "SweepCompleted", { period: INTERVAL }) },
      period: INTERVAL,
    }),
    threshold: 1,
    periods: [3, 3],
    missing: TreatMissingData.BREACHING,
    severity: "notice",
  });
}

/** Alarms on a late sweep and on the supply of thread IDs. */
export function threadAlarms(scope: Construct): ServiceAlarm[] {
  const tries = (statistic: string) => applicationMetric(scope, "ThreadIdTries", { statistic, period: FIVE_MINUTES });
  return [
    new ServiceAlarm(scope, "sweep-late", {
      problem: "For 20 of 30 minutes, the sweep has removed threads more than 30 minutes after they were due.",
      metric: applicationMetric(scope, "SweepLag", { statistic: "Maximum", period: INTERVAL }),
      threshold: Duration.minutes(30).toSeconds(),
      periods: [2, 3],
      severity: "notice",
    }),
    new ServiceAlarm(scope, "thread-ids-scarce", {
      problem: "More than 70% of thread IDs are in use.",
      // When a share p of them is in use, finding a free one takes 1/(1-p) tries on average.
      metric: new MathExpression({
        label: "tries per free ID",
        expression: "IF(created >= 20, tries, 0)",
        usingMetrics: { created: tries("SampleCount"), tries: tries("Average") },
        period: FIVE_MINUTES,
      }),
      threshold: Math.round(100 / (1 - FULL)) / 100,
      periods: [2, 3],
      severity: "notice",
    }),
    new ServiceAlarm(scope, "thread-ids-exhausted", {
      problem: "No free thread ID was found; a caller received a 500.",
      metric: applicationMetric(scope, "ThreadIdsExhausted", { period: FIVE_MINUTES }),
      threshold: 1,
      severity: "urgent",
    }),
  ];
}

/** Sweeps: completed, threads removed, lag and failures. */
export function sweepGraphs(scope: Construct, { function: sweep }: SweepSchedule): Graph[] {
  const total = { statistic: "Sum", period: INTERVAL };
  const highest = { statistic: "Maximum", period: INTERVAL };
  return [
    completedSweeps(scope),
    {
      title: "Threads removed",
      left: [applicationMetric(scope, "SweptThreads", { ...total, label: "removed" })],
      right: [applicationMetric(scope, "SweepFailures", { ...total, label: "could not be removed" })],
    },
    {
      title: "Sweep lag and duration",
      left: [applicationMetric(scope, "SweepLag", { ...highest, label: "lag, s" })],
      right: [sweep.metricDuration({ ...highest, label: "duration, ms" })],
    },
  ];
}

export function completedSweeps(scope: Construct): Graph {
  const options = { statistic: "Sum", period: INTERVAL, label: "completed" };
  return { title: "Completed sweeps", left: [applicationMetric(scope, "SweepCompleted", options)] };
}

/** New threads, and how many thread IDs are in use. */
export function threadGraphs(scope: Construct): Graph[] {
  return [
    {
      title: "New threads",
      left: [applicationMetric(scope, "ThreadIdTries", { statistic: "SampleCount", period: POINT, label: "created" })],
    },
    {
      title: "Tries per free thread ID (3.33 means 70% in use)",
      left: [applicationMetric(scope, "ThreadIdTries", { statistic: "Average", period: POINT, label: "tries" })],
      right: [applicationMetric(scope, "ThreadIdsExhausted", { period: POINT, label: "none found" })],
    },
  ];
}
