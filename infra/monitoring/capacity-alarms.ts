import { Duration } from "aws-cdk-lib";
import { type Alarm, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { BY_PHONE_NUMBER, BY_SWEEP } from "../../shared/dynamo/keys.ts";
import type { ServiceFunction } from "../service-function.ts";
import type { Tables } from "../tables.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { sum } from "./sum.ts";

const FIVE_MINUTES = Duration.minutes(5);

/** Whether functions may run and the database takes what it is given. */
export function capacityAlarms(scope: Construct, functions: ServiceFunction[], tables: Tables): Alarm[] {
  return [
    new ServiceAlarm(scope, "functions-throttled", {
      fault: "Lambda refused to start functions 5 times in 5 minutes; a caller got a 500 each time.",
      metric: sum(
        functions.map((fn) => fn.metricThrottles({ period: FIVE_MINUTES })),
        "throttled invocations",
        FIVE_MINUTES,
      ),
      threshold: 5,
    }),
    new ServiceAlarm(scope, "database-throttled", {
      fault: "DynamoDB refused 10 reads or writes in 5 minutes.",
      metric: sum(throttleEvents(tables), "throttled reads and writes", FIVE_MINUTES),
      threshold: 10,
    }),
  ];
}

/** Of each table and each index, which are throttled apart ("DynamoDB Metrics and dimensions"). */
export function throttleEvents({ threads, patients }: Tables): Metric[] {
  const places: Record<string, string>[] = [
    { TableName: threads.tableName },
    { TableName: threads.tableName, GlobalSecondaryIndexName: BY_SWEEP },
    { TableName: patients.tableName },
    { TableName: patients.tableName, GlobalSecondaryIndexName: BY_PHONE_NUMBER },
  ];
  return places.flatMap((dimensionsMap) =>
    ["ReadThrottleEvents", "WriteThrottleEvents"].map(
      (metricName) =>
        new Metric({ namespace: "AWS/DynamoDB", metricName, dimensionsMap, statistic: "Sum", period: FIVE_MINUTES }),
    ),
  );
}
