import { RemovalPolicy } from "aws-cdk-lib";
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
import { acknowledge } from "./acknowledge.ts";
import type { Encryption } from "./encryption.ts";
import type { Settings } from "./settings.ts";

/** The tables that the service refers to. */
export const TABLES = ["threads", "patients", "quotas", "events", "feedback", "sources"] as const;
export type TableName = (typeof TABLES)[number];

/** All tables. `shared/dynamo/keys.ts` defines their keys. A new one is also added to {@link TABLES}. */
export class Tables extends Construct implements Readonly<Record<TableName, Table>> {
  readonly threads: Table;
  readonly patients: Table;
  /** What clients have used of their quotas; empty if no client has quotas. */
  readonly quotas: Table;
  /** The events of the last days, without contents, and the webhooks that they are sent to. */
  readonly events: Table;
  /** How often feedback has the same values: numbers without IDs, texts or times. */
  readonly feedback: Table;
  /** The texts of clinics from which the assistant may answer. */
  readonly sources: Table;

  constructor(scope: Construct, id: string, encryption: Encryption, { deletionProtection, keepsData }: Settings) {
    super(scope, id);
    const common = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: encryption.key,
      deletionProtection,
      partitionKey: { name: "pk", type: AttributeType.STRING },
      resourcePolicy: tlsOnly(),
    };
    const sortKey = { name: "sk", type: AttributeType.STRING };

    this.threads = new Table(this, "Threads", {
      ...common,
      sortKey,
      timeToLiveAttribute: "ttl",
      removalPolicy: RemovalPolicy.DESTROY,
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
    acknowledgeNoBackup(this.threads, permanentlyRemoved);

    this.patients = new Table(this, "Patients", {
      ...common,
      timeToLiveAttribute: ERASURE_ENDS_AT, // records do not have this attribute: patients do not expire
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    this.patients.addGlobalSecondaryIndex({
      indexName: BY_PHONE_NUMBER,
      partitionKey: { name: "phoneKey", type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });

    this.quotas = new Table(this, "Quotas", {
      ...common,
      deletionProtection: false, // it only contains today's counters
      timeToLiveAttribute: "ttl",
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const counters =
      "It contains counters that expire within days; losing one only allows a client a few more requests.";
    acknowledgeNoBackup(this.quotas, counters);

    this.events = new Table(this, "Events", {
      ...common,
      sortKey,
      timeToLiveAttribute: "ttl",
      stream: StreamViewType.KEYS_ONLY, // tells the delivery of new events; it reads the rest from the table
      removalPolicy: RemovalPolicy.DESTROY,
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
    acknowledgeNoBackup(this.events, passing);

    this.feedback = new Table(this, "Feedback", {
      ...common,
      sortKey,
      timeToLiveAttribute: "ttl",
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    const statistics =
      "It contains counts of ratings by day, which nothing depends on. A backup would keep them for longer than the " +
      "400 days that callers are told.";
    acknowledgeNoBackup(this.feedback, statistics);

    this.sources = new Table(this, "Sources", {
      ...common,
      sortKey,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    acknowledge(this.sources, {
      "HIPAA.Security-DynamoDBInBackupPlan":
        "It contains published texts of clinics, no health data; whoever wrote them can store them again.",
    });
  }
}

/** Says why a table has neither point-in-time recovery nor backups. */
function acknowledgeNoBackup(table: Table, reason: string): void {
  acknowledge(table, {
    "AwsSolutions-DDB3": reason,
    "HIPAA.Security-DynamoDBPITREnabled": reason,
    "HIPAA.Security-DynamoDBInBackupPlan": reason,
  });
}

/** Rejects plain HTTP, which DynamoDB's endpoints also accept ("Amazon DynamoDB endpoints and quotas"). */
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
