import { Duration, Validations } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Grant } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  type CfnEventSourceMapping,
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { BY_DUE, EVENT_PREFIX } from "../shared/dynamo/keys.ts";
import type { Data } from "./data-stack.ts";
import { ServiceFunction } from "./service-function.ts";
import { allowKeyUse } from "./service-key.ts";
import type { Settings } from "./settings.ts";

interface EventDeliveryProps {
  data: Data;
  settings: Settings;
}

/** The most runs at the same time: those of the stream's shards, and that of the schedule. */
const CONCURRENCY = 5;

/**
 * Sends events to webhooks. The table's stream starts a run with each new event, so no function that records one needs
 * a further permission or waits. A run every minute retries what was not accepted, and makes up for what the stream
 * missed.
 */
export class EventDelivery extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, { data: { tables, key }, settings }: EventDeliveryProps) {
    super(scope, id);
    this.function = new ServiceFunction(this, "DeliverEvents", {
      name: "deliver-events",
      timeout: Duration.minutes(2),
      memorySize: 256,
      key,
      settings,
      failures: { tooMany: 3 },
      concurrency: CONCURRENCY,
    });
    const actions = ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"] as const;
    this.function.useTable(tables.events, "EVENTS_TABLE", actions, BY_DUE);
    this.readStream(tables.events, key);
    const noRetry = { retryAttempts: 0, maxEventAge: Duration.minutes(1) }; // the next run does the same work
    this.function.live.configureAsyncInvoke(noRetry);
    new Rule(this, "EveryMinute", {
      schedule: Schedule.cron({ minute: "0/1" }),
      targets: [new LambdaFunction(this.function.live, noRetry)],
    });
  }

  /** The CDK's own event source would grant the use of the key without naming the table. */
  private readStream({ tableStreamArn: eventSourceArn }: ITable, key: IKey): void {
    if (eventSourceArn === undefined) {
      throw new Error("the events table has no stream");
    }
    const grant = (actions: string[], resource: string) =>
      Grant.addToPrincipal({ grantee: this.function, actions, resourceArns: [resource] });
    grant(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], eventSourceArn);
    // Without the table as a condition: nothing documents the encryption context of reads of a stream.
    allowKeyUse(this.function, key, ["kms:Decrypt"], "dynamodb");
    grant(["dynamodb:ListStreams"], "*"); // Lambda requires it, and it cannot be restricted to a stream
    Validations.of(this.function.role ?? this).acknowledge({
      id: "AwsSolutions::AwsSolutions-IAM5[Resource::*]",
      reason:
        "It only lists the names of streams. Lambda requires it of a function that reads a stream, and DynamoDB cannot " +
        'restrict it to one ("Actions, resources, and condition keys for Amazon DynamoDB").',
    });
    const mapping = new EventSourceMapping(this, "Stream", {
      target: this.function.live,
      eventSourceArn,
      startingPosition: StartingPosition.LATEST,
      batchSize: 100,
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("INSERT"),
          dynamodb: { Keys: { sk: { S: FilterRule.beginsWith(EVENT_PREFIX) } } },
        }),
      ],
      retryAttempts: 1, // then the schedule takes over
      maxRecordAge: Duration.minutes(5),
    });
    // The CDK composes the alias's name from its ARN; the ARN itself can be read in the template.
    (mapping.node.defaultChild as CfnEventSourceMapping).functionName = this.function.live.functionArn;
  }
}
