import type { ServiceStack } from "../service-stack.ts";
import { byDimension } from "./application-metric.ts";
import { type Graph, POINT } from "./graph.ts";
import { blocked, throttled } from "./throttling.ts";

/** What callers ask for, and how much of it fails, by route and by function. */
export function requestGraphs(stack: ServiceStack): Graph[] {
  const { api, functions } = stack;
  const stage = api.restApi.deploymentStage;
  const total = { statistic: "Sum", period: POINT };
  return [
    {
      title: "Requests, and their errors",
      left: [stage.metricCount({ ...total, label: "requests" })],
      right: [
        stage.metricServerError({ ...total, label: "5xx" }),
        stage.metricClientError({ ...total, label: "4xx, with 429" }),
      ],
    },
    {
      title: "Failures by function: crashes, timeouts, 5xx",
      left: Object.values(functions).map(({ failing }) => failing.metric),
    },
    {
      title: "Requests by route, and failures on our side",
      left: [byDimension(stack, "Requests", "route", "Sum", POINT)],
      right: [byDimension(stack, "ServerErrors", "route", "Sum", POINT, "5xx: ")],
    },
    { title: "Errors by kind", left: [byDimension(stack, "Errors", "kind", "Sum", POINT)], stacked: true },
  ];
}

/** How long callers wait, and in which function. */
export function latencyGraphs(stack: ServiceStack): Graph[] {
  const { api, functions } = stack;
  const stage = api.restApi.deploymentStage;
  return [
    {
      title: "All requests, as the gateway sees them",
      left: ["p50", "p95", "p99"].map((statistic) =>
        stage.metricLatency({ statistic, period: POINT, label: statistic }),
      ),
    },
    { title: "p95 by route", left: [byDimension(stack, "Latency", "route", "p95", POINT)] },
    {
      title: "p95 by function",
      left: Object.entries(functions).map(([label, fn]) =>
        fn.metricDuration({ statistic: "p95", period: POINT, label }),
      ),
    },
  ];
}

/** Who calls how often and about what is grave, and who is turned away. */
export function callerGraphs(stack: ServiceStack): Graph[] {
  const { api, firewall } = stack;
  return [
    {
      title: "Requests by client",
      left: [byDimension(stack, "ClientRequests", "client", "Sum", POINT)],
      stacked: true,
    },
    {
      title: "Patients in danger, by level and by what saw it",
      left: [byDimension(stack, "SafetyAlerts", ["level", "by"], "Sum", POINT)],
      stacked: true,
    },
    {
      title: "Keys: refused, and still the old one",
      left: [byDimension(stack, "AuthenticationFailures", "reason", "Sum", POINT)],
      right: [byDimension(stack, "PreviousKeyUsed", "client", "Sum", POINT, "old key: ")],
    },
    {
      title: "Refused before a function",
      left: [
        throttled(api, POINT),
        blocked(firewall, "RequestsPerAddress", "over the limit per address", POINT),
        blocked(firewall, "ALL", "by any rule of the firewall", POINT),
      ],
    },
  ];
}
