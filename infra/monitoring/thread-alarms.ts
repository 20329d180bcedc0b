import { Duration } from "aws-cdk-lib";
import { type Alarm, MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SWEEP_INTERVAL_SECONDS } from "../../shared/threads/thread.ts";
import { applicationMetric } from "./application-metric.ts";
import { ServiceAlarm } from "./service-alarm.ts";

const INTERVAL = Duration.seconds(SWEEP_INTERVAL_SECONDS);
const FIVE_MINUTES = Duration.minutes(5);

/** The part of the id space that may be taken. */
const FULL = 0.7;

/** Whether expired threads go, and there are ids for new ones. */
export function threadAlarms(scope: Construct, deadLetters: Queue): Alarm[] {
  const tries = (statistic: string) => applicationMetric(scope, "ThreadIdTries", { statistic, period: FIVE_MINUTES });
  return [
    new ServiceAlarm(scope, "sweep-missing", {
      fault: "No sweep has ended well for 30 minutes.",
      // 1 for a period without a sweep; a missing value would be looked for further back, and the alarm come late.
      metric: new MathExpression({
        label: "no sweep",
        expression: "FILL(completed, 0) < 1",
        usingMetrics: { completed: applicationMetric(scope, "SweepCompleted", { statistic: "Sum", period: INTERVAL }) },
        period: INTERVAL,
      }),
      threshold: 1,
      periods: [3, 3],
      missing: TreatMissingData.BREACHING,
    }),
    new ServiceAlarm(scope, "sweep-late", {
      fault: "For 20 of 30 minutes, the sweep has removed threads over half an hour after they were due.",
      metric: applicationMetric(scope, "SweepLag", { statistic: "Maximum", period: INTERVAL }),
      threshold: Duration.minutes(30).toSeconds(),
      periods: [2, 3],
    }),
    new ServiceAlarm(scope, "dead-letters", {
      fault: "A run of the sweep failed in every try, or could not be started.",
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum", period: FIVE_MINUTES }),
      threshold: 1,
    }),
    new ServiceAlarm(scope, "thread-ids-scarce", {
      fault: "Over 70 % of the thread ids are taken.",
      // With a share p of them taken, a free one is found in 1/(1-p) tries on average.
      metric: new MathExpression({
        label: "tries for a free id",
        expression: "IF(created >= 20, tries, 0)",
        usingMetrics: { created: tries("SampleCount"), tries: tries("Average") },
        period: FIVE_MINUTES,
      }),
      threshold: Math.round(100 / (1 - FULL)) / 100,
      periods: [2, 3],
    }),
    new ServiceAlarm(scope, "thread-ids-exhausted", {
      fault: "No free thread id was found; a caller got a 500.",
      metric: applicationMetric(scope, "ThreadIdsExhausted", { statistic: "Sum", period: FIVE_MINUTES }),
      threshold: 1,
    }),
  ];
}
