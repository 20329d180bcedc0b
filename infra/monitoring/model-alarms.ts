import { Duration } from "aws-cdk-lib";
import { type Alarm, type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { ModelErrorKind } from "../../shared/model/model-error.ts";
import type { Settings } from "../settings.ts";
import { applicationMetric, overAll } from "./application-metric.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { sum } from "./sum.ts";

const FIVE_MINUTES = Duration.minutes(5);

/** Whose it is to mend a failure of the model: the operator's, the provider's, or nobody's, as it is one conversation's. */
const MENDED_BY: Record<ModelErrorKind | "other", "operator" | "provider" | "nobody"> = {
  authentication: "operator",
  quota: "operator",
  rejected: "operator",
  "rate-limit": "provider",
  timeout: "provider",
  connection: "provider",
  server: "provider",
  empty: "provider",
  truncated: "provider",
  malformed: "provider",
  other: "provider",
  "context-too-long": "nobody",
  "content-filter": "nobody",
  refusal: "nobody",
};

/** Whether the model answers, and what it is asked for does not cost too much. */
export function modelAlarms(scope: Construct, settings: Settings): Alarm[] {
  return [
    new ServiceAlarm(scope, "model-refuses", {
      fault: "The model's provider refuses us: the key, the account's quota, or the request itself.",
      metric: sum(failuresMendedBy(scope, "operator"), "refusals by the provider", FIVE_MINUTES),
      threshold: 3,
    }),
    new ServiceAlarm(scope, "model-errors", {
      fault: "A fifth of what the model was asked fails, and at least 5 times in 5 minutes, for 10 of 15 minutes.",
      metric: failureRate(scope, settings),
      threshold: 20,
      periods: [2, 3],
    }),
    new ServiceAlarm(scope, "tokens", {
      fault: `${settings.tokensPerHour.toLocaleString("en")} tokens went to the model in an hour.`,
      metric: overAll(scope, "InputTokens", "client", "tokens to the model", Duration.hours(1)),
      threshold: settings.tokensPerHour,
    }),
  ];
}

function failuresMendedBy(scope: Construct, who: string): IMetric[] {
  return Object.entries(MENDED_BY)
    .filter(([, mendedBy]) => mendedBy === who)
    .map(([kind]) =>
      applicationMetric(scope, "ModelFailure", { dimensions: { kind }, statistic: "Sum", period: FIVE_MINUTES }),
    );
}

/** The share of tries that failed, in percent. An answer shows as a latency of its model. */
function failureRate(scope: Construct, { model, fallbackModel }: Settings): MathExpression {
  const failed = sum(failuresMendedBy(scope, "provider"), "failures", FIVE_MINUTES, "f");
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
    label: "failed tries, %",
    expression: "IF(failed >= 5, 100 * failed / (failed + answered), 0)",
    usingMetrics: { failed, answered: sum(answers, "answers", FIVE_MINUTES, "a") },
    period: FIVE_MINUTES,
  });
}
