import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { SWEEP_INTERVAL_SECONDS } from "../../shared/threads/thread.ts";
import { SWEEP_PARTS, type SweepSchedule } from "../sweep-schedule.ts";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, FIVE_MINUTES, type Graph, POINT, sum } from "./metrics.ts";

const INTERVAL = Duration.seconds(SWEEP_INTERVAL_SECONDS);

/** How long some sweeps take to begin, in words. */
const minutesOf = (sweeps: number) => `${sweeps * INTERVAL.toMinutes()} minutes`;

/** The share of thread IDs in use above which an alarm goes off. */
const FULL = 0.7;

/**
 * The alarm on a sweep that does not run or does not complete.
 *
 * @param life metrics that have values while the stack exists: without any, it is being created
 */
export function sweepMissing(scope: Construct, life: IMetric[]): ServiceAlarm {
  return new ServiceAlarm(scope, "sweep-missing", {
    problem: `For ${minutesOf(3)}, no sweep has succeeded in all its parts.`,
    // 1 for a period without a complete sweep, which has no value of its own.
    metric: new MathExpression({
      label: "no sweep",
      expression: `IF(life >= 1 AND SUM([completed, life]) - life < ${SWEEP_PARTS}, 1, 0)`,
      usingMetrics: {
        completed: applicationMetric(scope, "SweepCompleted", { period: INTERVAL }),
        life: sum(life, "life", INTERVAL, "l"),
      },
      period: INTERVAL,
    }),
    threshold: 1,
    periods: [3, 3],
    severity: "notice",
  });
}

/** Alarms on a late sweep and on the supply of thread IDs. */
export function threadAlarms(scope: Construct): ServiceAlarm[] {
  const tries = (statistic: string) => applicationMetric(scope, "ThreadIdTries", { statistic, period: FIVE_MINUTES });
  return [
    new ServiceAlarm(scope, "sweep-late", {
      problem: `For ${minutesOf(2)} out of ${minutesOf(3)}, the sweep has removed threads more than ${minutesOf(3)} after they were due.`,
      metric: applicationMetric(scope, "SweepLag", { statistic: "Maximum", period: INTERVAL }),
      threshold: 3 * SWEEP_INTERVAL_SECONDS,
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
