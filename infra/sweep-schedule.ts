import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { BY_SWEEP } from "../shared/dynamo/keys.ts";
import { SWEEP_INTERVAL_SECONDS } from "../shared/threads/thread.ts";
import { ServiceFunction } from "./service-function.ts";
import type { Tables } from "./tables.ts";

/** Runs the sweep every 10 minutes, at :00, :10 and so on: the times that threads are filed under (`sweepAt`). */
export class SweepSchedule extends Construct {
  constructor(scope: Construct, id: string, { tables }: { tables: Tables }) {
    super(scope, id);
    // The timeout is shorter than the interval, so that a run has ended before the next begins. The memory is for the
    // whole processor that comes with 1,769 MB ("Configure Lambda function memory"): a sweep of all ids needs it to end in
    // one run. With less it would take longer in proportion, at the same price.
    const sweep = new ServiceFunction(this, "SweepThreads", {
      name: "sweep-threads",
      timeout: Duration.minutes(9),
      memorySize: 1_769,
    });
    sweep.useThreads(tables.threads, ["Query", "DeleteItem", "UpdateItem", "BatchWriteItem"], BY_SWEEP);
    new Rule(this, "Every10Minutes", {
      schedule: Schedule.cron({ minute: `0/${SWEEP_INTERVAL_SECONDS / 60}` }),
      targets: [new LambdaFunction(sweep, { retryAttempts: 1, maxEventAge: Duration.minutes(10) })],
    });
  }
}
