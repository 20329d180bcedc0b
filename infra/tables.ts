import { RemovalPolicy, Validations } from "aws-cdk-lib";
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from "aws-cdk-lib/aws-dynamodb";
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { BY_DUE, BY_PHONE_NUMBER, BY_SWEEP, ERASURE_ENDS_AT } from "../shared/dynamo/keys.ts";
import type { Encryption } from "./encryption.ts";
import type { Settings } from "./settings.ts";

/** All tables. `shared/dynamo/keys.ts` defines their keys. */
export class Tables extends Construct {
  readonly threads: Table;
  readonly patients: Table;
  /** What clients have used of their quotas; empty if no client has quotas. */
  readonly quotas: Table;
  /** The events of the last days, without contents, and the webhooks that they are sent to. */
  readonly events: Table;
  /** How often feedback has the same values: numbers without IDs, texts or times. */
  readonly feedback: Table;

  constructor(scope: Construct, id: string, encryption: Encryption, { deletionProtection, keepsData }: Settings) {
    super(scope, id);
    const common = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: encryption.key,
      deletionProtection,
    };

    this.threads = new Table(this, "Threads", {
      ...common,
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      timeToLiveAttribute: "ttl",
      removalPolicy: RemovalPolicy.DESTROY,
      resourcePolicy: tlsOnly(),
    });
    this.threads.addGlobalSecondaryIndex({
      indexName: BY_SWEEP,
      partitionKey: { name: "sweepShard", type: AttributeType.STRING },
      sortKey: { name: "sweepAt", type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    const permanentlyRemoved =
      'The interface promises that a deleted thread is "permanently removed" and that this "cannot be undone". ' +
      "Point-in-time recovery or a backup would keep conversations that callers were told are gone. A thread " +
      "lives for 30 minutes; the record that must survive a disaster is the patient's, which has both.";
    Validations.of(this.threads).acknowledge(
      { id: "AwsSolutions::AwsSolutions-DDB3", reason: permanentlyRemoved },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBPITREnabled", reason: permanentlyRemoved },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBInBackupPlan", reason: permanentlyRemoved },
    );

    this.patients = new Table(this, "Patients", {
      ...common,
      partitionKey: { name: "pk", type: AttributeType.STRING },
      timeToLiveAttribute: ERASURE_ENDS_AT, // records do not have this attribute: patients do not expire
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      resourcePolicy: tlsOnly(),
    });
    this.patients.addGlobalSecondaryIndex({
      indexName: BY_PHONE_NUMBER,
      partitionKey: { name: "phoneKey", type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });

    this.quotas = new Table(this, "Quotas", {
      ...common,
      deletionProtection: false, // it only contains today's counters
      partitionKey: { name: "pk", type: AttributeType.STRING },
      timeToLiveAttribute: "ttl",
      removalPolicy: RemovalPolicy.DESTROY,
      resourcePolicy: tlsOnly(),
    });
    this.events = new Table(this, "Events", {
      ...common,
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      timeToLiveAttribute: "ttl",
      stream: StreamViewType.KEYS_ONLY, // tells the delivery of new events; it reads the rest from the table
      removalPolicy: RemovalPolicy.DESTROY,
      resourcePolicy: tlsOnly(),
    });
    this.events.addGlobalSecondaryIndex({
      indexName: BY_DUE,
      partitionKey: { name: "dueShard", type: AttributeType.STRING },
      sortKey: { name: "dueAt", type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    const passing =
      "It contains IDs and times of what happened in the last days, and where they are sent. A backup would keep the IDs " +
      "of erased patients; a webhook that is lost is created again.";
    Validations.of(this.events).acknowledge(
      { id: "AwsSolutions::AwsSolutions-DDB3", reason: passing },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBPITREnabled", reason: passing },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBInBackupPlan", reason: passing },
    );

    this.feedback = new Table(this, "Feedback", {
      ...common,
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      timeToLiveAttribute: "ttl",
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      resourcePolicy: tlsOnly(),
    });
    const statistics =
      "It contains counts of ratings by day, which nothing depends on. A backup would keep them for longer than the " +
      "400 days that callers are told.";
    Validations.of(this.feedback).acknowledge(
      { id: "AwsSolutions::AwsSolutions-DDB3", reason: statistics },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBPITREnabled", reason: statistics },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBInBackupPlan", reason: statistics },
    );

    const counters =
      "It contains counters that expire within days; losing one only allows a client a few more requests.";
    Validations.of(this.quotas).acknowledge(
      { id: "AwsSolutions::AwsSolutions-DDB3", reason: counters },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBPITREnabled", reason: counters },
      { id: "HIPAA.Security::HIPAA.Security-DynamoDBInBackupPlan", reason: counters },
    );
  }
}

/**
 * Rejects requests over plain HTTP, which DynamoDB's endpoints also accept ("Amazon DynamoDB endpoints and quotas").
 */
function tlsOnly(): PolicyDocument {
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        sid: "TlsOnly",
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ["dynamodb:*"],
        resources: ["*"],
        conditions: { Bool: { "aws:SecureTransport": false } },
      }),
    ],
  });
}
