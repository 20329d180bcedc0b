import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import { BY_PHONE_NUMBER, BY_SWEEP } from "../shared/dynamo/keys.ts";

/** Both tables. `shared/dynamo/keys.ts` says what stands under which key. */
export class Tables extends Construct {
  readonly threads: Table;
  readonly patients: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    // No point-in-time recovery: a deleted thread is "permanently removed; cannot be undone" (specification, States).
    this.threads = new Table(this, "Threads", {
      partitionKey: { name: "threadId", type: AttributeType.STRING },
      sortKey: { name: "item", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: "ttl",
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.threads.addGlobalSecondaryIndex({
      indexName: BY_SWEEP,
      partitionKey: { name: "sweepAt", type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });

    this.patients = new Table(this, "Patients", {
      partitionKey: { name: "id", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.patients.addGlobalSecondaryIndex({
      indexName: BY_PHONE_NUMBER,
      partitionKey: { name: "phone_number", type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }
}
