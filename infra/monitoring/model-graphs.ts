import type { ServiceStack } from "../service-stack.ts";
import { applicationMetric, byDimension } from "./application-metric.ts";
import { type Graph, POINT } from "./graph.ts";

/** Whether the model answers, how soon, and what was done when it did not. */
export function modelGraphs(stack: ServiceStack): Graph[] {
  const total = (name: string, label: string) =>
    applicationMetric(stack, name, { statistic: "Sum", period: POINT, label });
  return [
    { title: "Model latency, p50", left: [byDimension(stack, "ModelLatency", "model", "p50", POINT)] },
    { title: "Model latency, p95", left: [byDimension(stack, "ModelLatency", "model", "p95", POINT)] },
    { title: "Failed tries by kind", left: [byDimension(stack, "ModelFailure", "kind", "Sum", POINT)], stacked: true },
    { title: "Second tries, fallback", left: [total("ModelRetry", "retries"), total("ModelFallback", "fallback")] },
  ];
}
