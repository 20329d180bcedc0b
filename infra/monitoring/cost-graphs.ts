import { MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { ServiceFunction } from "../service-function.ts";
import type { ServiceStack } from "../service-stack.ts";
import { byDimension } from "./application-metric.ts";
import { type Graph, POINT } from "./graph.ts";
import { sum } from "./sum.ts";

/** What is paid for, in the units that it is paid by. */
export function costGraphs(stack: ServiceStack): Graph[] {
  const { functions, tables } = stack;
  const all = Object.entries(functions);
  return [
    {
      title: "Tokens to the model, by client",
      left: [byDimension(stack, "InputTokens", "client", "Sum", POINT)],
      stacked: true,
    },
    { title: "Tokens from it", left: [byDimension(stack, "OutputTokens", "client", "Sum", POINT)], stacked: true },
    { title: "GB-seconds by function", left: all.map(([name, fn]) => gigabyteSeconds(name, fn)), stacked: true },
    {
      title: "Reads and writes, log bytes",
      left: [
        consumed("threads", tables.threads, "Read"),
        consumed("threads", tables.threads, "Write"),
        consumed("patients", tables.patients, "Read"),
        consumed("patients", tables.patients, "Write"),
      ],
      right: [
        sum(
          all.map(([, fn]) => incomingBytes(fn)),
          "log bytes",
          POINT,
          "b",
        ),
      ],
    },
  ];
}

function gigabyteSeconds(label: string, fn: ServiceFunction): MathExpression {
  const { memorySize = 128 } = fn.node.defaultChild as CfnFunction;
  const id = `ms${label.replaceAll("-", "")}`;
  return new MathExpression({
    label,
    expression: `${id} / 1000 * ${memorySize / 1024}`,
    usingMetrics: { [id]: fn.metricDuration({ statistic: "Sum", period: POINT }) },
    period: POINT,
  });
}

function consumed(name: string, table: Table, kind: "Read" | "Write"): Metric {
  const options = { statistic: "Sum", period: POINT, label: `${name}, ${kind.toLowerCase()}` };
  return kind === "Read"
    ? table.metricConsumedReadCapacityUnits(options)
    : table.metricConsumedWriteCapacityUnits(options);
}

function incomingBytes({ logGroup }: ServiceFunction): Metric {
  return new Metric({
    namespace: "AWS/Logs",
    metricName: "IncomingBytes",
    dimensionsMap: { LogGroupName: logGroup.logGroupName },
    statistic: "Sum",
    period: POINT,
  });
}
