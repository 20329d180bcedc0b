import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { BY_SWEEP } from "../shared/dynamo/keys.ts";
import { SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import type { Encryption } from "./encryption.ts";
import { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";
import type { Tables } from "./tables.ts";

interface SweepScheduleProps {
  tables: Tables;
  encryption: Encryption;
  settings: Settings;
}

/** Runs the sweep every 10 minutes, at :00, :10 and so on: the times that threads are filed under (`sweepAt`). */
export class SweepSchedule extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, { tables, encryption, settings }: SweepScheduleProps) {
    super(scope, id);
    // The timeout is shorter than the interval, so that a run has ended before the next begins. The memory is for the
    // whole processor that comes with 1,769 MB ("Configure Lambda function memory"): a sweep of all ids needs it to end in
    // one run. With less it would take longer in proportion, at the same price.
    this.function = new ServiceFunction(this, "SweepThreads", {
      name: "sweep-threads",
      timeout: Duration.minutes(9),
      memorySize: 1_769,
      encryption,
      settings,
      tooManyFailures: 1,
      concurrency: 1, // two sweeps at once would only compete for the same threads
    });
    this.function.useThreads(tables.threads, ["Query", "DeleteItem", "UpdateItem", "BatchWriteItem"], BY_SWEEP);
    const oneMoreTry = { retryAttempts: 1, maxEventAge: Duration.minutes(10) };
    this.function.live.configureAsyncInvoke(oneMoreTry); // when a run fails
    new Rule(this, "Every10Minutes", {
      schedule: Schedule.cron({ minute: `0/${SWEEP_INTERVAL_SECONDS / 60}` }),
      targets: [new LambdaFunction(this.function.live, oneMoreTry)], // when it cannot start
    });
  }
}
