import { Aws, Duration } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Grant, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnPipe } from "aws-cdk-lib/aws-pipes";
import { Construct } from "constructs";
import { BY_DUE, EVENT_PREFIX } from "../shared/dynamo/keys.ts";
import { acknowledge } from "./acknowledge.ts";
import type { Data } from "./data-stack.ts";
import { ServiceFunction } from "./service-function.ts";
import { allowKeyUse } from "./service-key.ts";
import type { Settings } from "./settings.ts";

interface EventDeliveryProps {
  data: Data;
  settings: Settings;
}

/** The most runs at the same time. A receiver that hangs holds up one, until it has failed to answer once. */
const CONCURRENCY = 20;

/**
 * Sends events to webhooks. The table's stream starts a run with each new event, so no function that records one needs
 * a further permission or waits. A run every minute retries what was not accepted, and makes up for what the stream
 * missed.
 */
export class EventDelivery extends Construct {
  readonly function: ServiceFunction;
  /** Starts a run with each batch of new events. */
  readonly pipe: CfnPipe;

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
    this.pipe = this.readStream(tables.events, key);
    const noRetry = { retryAttempts: 0, maxEventAge: Duration.minutes(1) }; // the next run does the same work
    this.function.live.configureAsyncInvoke(noRetry);
    new Rule(this, "EveryMinute", {
      schedule: Schedule.cron({ minute: "0/1" }),
      targets: [new LambdaFunction(this.function.live, noRetry)],
    });
  }

  /**
   * Starts a run for each batch of new events, and waits for none (`FIRE_AND_FORGET`): an event source mapping would
   * deliver a batch only when the one before is done, after the slowest of its receivers.
   */
  private readStream({ tableStreamArn: source }: ITable, key: IKey): CfnPipe {
    if (source === undefined) {
      throw new Error("the events table has no stream");
    }
    const role = new Role(this, "StreamRole", {
      assumedBy: new ServicePrincipal("pipes.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
    });
    const grant = (actions: string[], resource: string) =>
      Grant.addToPrincipal({ grantee: role, actions, resourceArns: [resource] });
    grant(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], source);
    // Without the table as a condition: nothing documents the encryption context of reads of a stream.
    allowKeyUse(role, key, ["kms:Decrypt"], "dynamodb");
    grant(["dynamodb:ListStreams"], "*"); // EventBridge requires it, and it cannot be restricted to a stream
    grant(["lambda:InvokeFunction"], this.function.live.functionArn);
    acknowledge(role, {
      "AwsSolutions-IAM5[Resource::*]":
        "It only lists the names of streams. EventBridge requires it of a pipe that reads a stream, and DynamoDB cannot " +
        'restrict it to one ("Actions, resources, and condition keys for Amazon DynamoDB").',
      "HIPAA.Security-IAMNoInlinePolicy":
        "The policy names this stream and this function, so no other role could use it.",
    });
    const pattern = { eventName: ["INSERT"], dynamodb: { Keys: { sk: { S: [{ prefix: EVENT_PREFIX }] } } } };
    const pipe = new CfnPipe(this, "Stream", {
      roleArn: role.roleArn,
      source,
      sourceParameters: {
        filterCriteria: { filters: [{ pattern: JSON.stringify(pattern) }] },
        dynamoDbStreamParameters: {
          startingPosition: "LATEST",
          batchSize: 100,
          maximumRetryAttempts: 1, // then the schedule takes over
          maximumRecordAgeInSeconds: Duration.minutes(5).toSeconds(),
        },
      },
      target: this.function.live.functionArn,
      targetParameters: { lambdaFunctionParameters: { invocationType: "FIRE_AND_FORGET" } },
    });
    pipe.node.addDependency(role); // and its policy, which EventBridge checks when it creates the pipe
    return pipe;
  }
}
