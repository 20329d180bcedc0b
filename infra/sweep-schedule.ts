import { Duration } from "aws-cdk-lib";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { BY_SWEEP } from "../shared/dynamo/keys.ts";
import { SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import type { Data } from "./data-stack.ts";
import { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";
import { SWEEP_SECONDS, sweepMinutes } from "./sweep-times.ts";

interface SweepScheduleProps {
  data: Data;
  settings: Settings;
}

/**
 * The number of runs of a sweep, each on its part of the index and its own processor: the most targets that a rule may
 * have ("Amazon EventBridge quotas"). docs/performance.md says how many threads they delete per second.
 */
export const SWEEP_PARTS = 5;

/** Runs the sweep at the times that `sweepAt` contains. */
export class SweepSchedule extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, { data: { tables, key }, settings }: SweepScheduleProps) {
    super(scope, id);
    // With 1,769 MB, Lambda provides a whole vCPU ("Configure Lambda function memory"). With less memory, it would take
    // proportionally longer, at the same price.
    this.function = new ServiceFunction(this, "SweepThreads", {
      name: "sweep-threads",
      timeout: Duration.seconds(SWEEP_SECONDS),
      memorySize: 1_769,
      key,
      settings,
      failures: { tooMany: 1 },
      concurrency: SWEEP_PARTS, // more sweeps would only compete for the same threads
    });
    const actions = ["GetItem", "Query", "DeleteItem", "UpdateItem", "BatchWriteItem"] as const;
    this.function.useThreads(tables.threads, actions, BY_SWEEP);
    this.function.useEvents(tables.events, ["Query", "PutItem", "UpdateItem"]);
    const oneMoreTry = { retryAttempts: 1, maxEventAge: Duration.seconds(SWEEP_INTERVAL_SECONDS) };
    this.function.live.configureAsyncInvoke(oneMoreTry); // retries a run that failed
    new Rule(this, "Schedule", {
      schedule: Schedule.cron({ minute: sweepMinutes() }),
      targets: Array.from({ length: SWEEP_PARTS }, (_, part) => {
        const event = RuleTargetInput.fromObject({ part, parts: SWEEP_PARTS });
        return new LambdaFunction(this.function.live, { ...oneMoreTry, event }); // retries a run that could not start
      }),
    });
  }
}
