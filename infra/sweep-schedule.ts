import { Duration } from "aws-cdk-lib";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { BY_SWEEP } from "../shared/dynamo/keys.ts";
import { SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import type { Data } from "./data-stack.ts";
import { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";

interface SweepScheduleProps {
  data: Data;
  settings: Settings;
}

/**
 * The number of runs of a sweep, each on its part of the index and its own processor: the most targets that a rule may
 * have ("Amazon EventBridge quotas"). docs/performance.md says how many threads they delete per second.
 */
export const SWEEP_PARTS = 5;

/** Runs the sweep every 10 minutes, at :00, :10 and so on: the times that `sweepAt` contains. */
export class SweepSchedule extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, { data: { tables, key }, settings }: SweepScheduleProps) {
    super(scope, id);
    // The timeout is shorter than the interval, so that a run ends before the next one begins. With 1,769 MB, Lambda
    // provides a whole vCPU ("Configure Lambda function memory"). With less memory, it would take proportionally
    // longer, at the same price.
    this.function = new ServiceFunction(this, "SweepThreads", {
      name: "sweep-threads",
      timeout: Duration.minutes(9),
      memorySize: 1_769,
      key,
      settings,
      failures: { tooMany: 1 },
      concurrency: SWEEP_PARTS, // more sweeps would only compete for the same threads
    });
    const actions = ["GetItem", "Query", "DeleteItem", "UpdateItem", "BatchWriteItem"] as const;
    this.function.useThreads(tables.threads, actions, BY_SWEEP);
    this.function.useEvents(tables.events, ["Query", "PutItem", "UpdateItem"]);
    const oneMoreTry = { retryAttempts: 1, maxEventAge: Duration.minutes(10) };
    this.function.live.configureAsyncInvoke(oneMoreTry); // retries a run that failed
    new Rule(this, "Every10Minutes", {
      schedule: Schedule.cron({ minute: `0/${SWEEP_INTERVAL_SECONDS / 60}` }),
      targets: Array.from({ length: SWEEP_PARTS }, (_, part) => {
        const event = RuleTargetInput.fromObject({ part, parts: SWEEP_PARTS });
        return new LambdaFunction(this.function.live, { ...oneMoreTry, event }); // retries a run that could not start
      }),
    });
  }
}
