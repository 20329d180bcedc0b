import { Duration } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import { ServiceAlarm } from "./alarms.ts";
import { applicationMetric, byDimension, FIVE_MINUTES, type Graph, POINT, sum } from "./metrics.ts";

/** The alarm on a provider that rejects the service's requests. */
export function modelRefuses(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "model-refuses", {
    problem: "The model provider is rejecting our requests: check the key, the account's quota and the model name.",
    metric: applicationMetric(scope, "ModelRefused", {
      period: FIVE_MINUTES,
      label: "requests rejected by the provider",
    }),
    threshold: 3,
    severity: "outage",
  });
}

/** The alarm on the number of tokens. */
export function tokens(scope: Construct, { tokensPerHour }: Settings): ServiceAlarm {
  return new ServiceAlarm(scope, "tokens", {
    problem: `${tokensPerHour.toLocaleString("en")} tokens were sent to the model in an hour.`,
    metric: applicationMetric(scope, "InputTokens", { period: Duration.hours(1) }),
    threshold: tokensPerHour,
    severity: "urgent",
  });
}

/** The alarm on failed model calls. */
export function modelErrors(scope: Construct, settings: Settings): ServiceAlarm {
  return new ServiceAlarm(scope, "model-errors", {
    problem: "At least 20% of model calls, and at least 5 in 5 minutes, failed in 10 of the last 15 minutes.",
    metric: failureRate(scope, settings),
    threshold: 20,
    periods: [2, 3],
    severity: "outage",
  });
}

/** The alarm on suspected dangers on which no model judged. */
export function verdictsMissing(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "verdicts-missing", {
    problem: "On 10 messages in an hour that may be about a danger, the model gave no verdict in time.",
    metric: applicationMetric(scope, "VerdictsMissing", { period: Duration.hours(1) }),
    threshold: 10,
    severity: "notice",
  });
}

/** The percentage of model calls that failed. Successful ones are counted by the latency metric of their model. */
function failureRate(scope: Construct, { model, fallbackModel }: Settings): MathExpression {
  const failed = applicationMetric(scope, "ModelUnavailable", { period: FIVE_MINUTES });
  const answers = [...new Set([model, fallbackModel])]
    .filter((name) => name !== "")
    .map((name) =>
      applicationMetric(scope, "ModelLatency", {
        dimensions: { model: name },
        statistic: "SampleCount",
        period: FIVE_MINUTES,
      }),
    );
  return new MathExpression({
    label: "failed model calls, %",
    expression: "IF(failed >= 5, 100 * failed / SUM([failed, answered]), 0)",
    usingMetrics: { failed, answered: sum(answers, "answers", FIVE_MINUTES, "a") },
    period: FIVE_MINUTES,
  });
}

/** The model's latency, its failures, and how they were handled. */
export function modelGraphs(scope: Construct): Graph[] {
  const total = { statistic: "Sum", period: POINT };
  return [
    { title: "Model latency, p50", left: [byDimension(scope, "ModelLatency", "p50", POINT)] },
    { title: "Model latency, p95", left: [byDimension(scope, "ModelLatency", "p95", POINT)] },
    modelFailures(scope),
    {
      title: "Retries and fallback calls; failures by who can fix them",
      left: [
        applicationMetric(scope, "ModelRetry", { ...total, label: "retries" }),
        applicationMetric(scope, "ModelFallback", { ...total, label: "fallback" }),
      ],
      right: [
        applicationMetric(scope, "ModelRefused", { ...total, label: "operator: key, quota, model" }),
        applicationMetric(scope, "ModelUnavailable", { ...total, label: "provider" }),
      ],
    },
  ];
}

export function modelFailures(scope: Construct): Graph {
  return {
    title: "Failed model calls by kind",
    left: [byDimension(scope, "ModelFailure", "Sum", POINT)],
    stacked: true,
  };
}

/** Tokens, which make up most of a chat's cost. */
export function tokenGraphs(scope: Construct): Graph[] {
  const total = { statistic: "Sum", period: POINT };
  return [
    {
      title: "Tokens",
      left: [
        applicationMetric(scope, "InputTokens", { ...total, label: "input" }),
        applicationMetric(scope, "CachedInputTokens", { ...total, label: "of these, from the provider's cache" }),
        applicationMetric(scope, "OutputTokens", { ...total, label: "output" }),
      ],
    },
  ];
}
