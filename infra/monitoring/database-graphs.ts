import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { ServiceStack } from "../service-stack.ts";
import { throttleEvents } from "./capacity-alarms.ts";
import { type Graph, POINT } from "./graph.ts";
import { sum } from "./sum.ts";

/** How long DynamoDB takes, and what it refuses. */
export function databaseGraphs({ tables }: ServiceStack): Graph[] {
  const both = Object.entries({ threads: tables.threads, patients: tables.patients });
  return [
    ...both.map(([name, table]) => ({
      title: `${name}: p95 by operation`,
      left: [byOperation(table, "SuccessfulRequestLatency", "p95")],
    })),
    {
      title: "Throttled and failed",
      left: [
        sum(throttleEvents(tables), "throttled", POINT),
        ...both.map(([name, table]) => byOperation(table, "SystemErrors", "Sum", `${name}: system errors, `)),
      ],
    },
    {
      title: "Conditions that did not hold",
      // Taken ids, turns at the same time, threads that were gone: some of them are usual.
      left: both.map(([label, table]) =>
        table.metricConditionalCheckFailedRequests({ statistic: "Sum", period: POINT, label }),
      ),
    },
  ];
}

/** A line for each operation on a table, such as `TransactWriteItems`. */
function byOperation(table: Table, name: string, statistic: string, label = ""): MathExpression {
  const search = `{AWS/DynamoDB,TableName,Operation} MetricName="${name}" TableName="${table.tableName}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${POINT.toSeconds()})`,
    label: `${label}\${PROP('Dim.Operation')}`,
    period: POINT,
  });
}
