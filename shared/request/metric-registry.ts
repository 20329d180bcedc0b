/** The CloudWatch namespace of every metric below. */
export const NAMESPACE = "HealthAssistant";

export type MetricUnit = "Count" | "Milliseconds" | "Seconds";

interface MetricDefinition {
  unit: MetricUnit;
  /**
   * The dimensions of the values: never anything about a patient, and never a client or tenant, because each
   * combination of values is billed as a metric. What a client does is in the log line of each request.
   */
  dimensions: readonly string[];
  /** The meaning of one value, for the table in docs/runbook.md. */
  description: string;
  /** Set if the request would link the value to a patient. */
  withoutRequestId?: true;
}

/**
 * Every metric that the functions write. Invocations, errors and durations are missing, because AWS counts them for
 * each function. `shared/observability/metrics.ts` and `infra/service-function.ts` accept no other names and
 * dimensions. At run time only the types are needed, so the descriptions are not part of the bundles.
 *
 * Each metric also has a dimension `service`: see `metricsService` in `infra/monitoring/metrics.ts`.
 */
export const METRICS = {
  Errors: {
    unit: "Count",
    dimensions: ["error"],
    description: "1 for each failed request; the kinds are listed below",
  },
  PreviousKeyUsed: {
    unit: "Count",
    dimensions: [],
    description: "1 for each request with a key from before the last rotation; at zero, the overlap can end",
  },
  QuotaExceeded: {
    unit: "Count",
    dimensions: ["quota"],
    description: "1 for each request over a quota of its client",
  },
  QuotaUnavailable: {
    unit: "Count",
    dimensions: [],
    description: "1 for each quota that could not be counted; the request is allowed",
  },
  UnknownIds: {
    unit: "Count",
    dimensions: [],
    description: "1 for each authorized request for a thread or a patient that does not exist",
  },
  AuthenticationFailures: {
    unit: "Count",
    dimensions: ["reason"],
    description: "1 for each unauthorized request; the reason is that its key is `missing` or `unknown`",
  },
  ModelLatency: {
    unit: "Milliseconds",
    dimensions: ["model"],
    description: "Duration of each successful call to a model",
  },
  ModelFailure: {
    unit: "Count",
    dimensions: ["kind"],
    description: "1 for each failed call to a model; the kinds are those of `shared/model/model-error.ts`",
  },
  ModelRefused: {
    unit: "Count",
    dimensions: [],
    description: "1 for each failed call to a model that the operator can fix: `authentication`, `quota` or `rejected`",
  },
  ModelUnavailable: {
    unit: "Count",
    dimensions: [],
    description: "1 for each failed call to a model that the provider can fix, such as `timeout` or `rate-limit`",
  },
  ModelRetry: {
    unit: "Count",
    dimensions: [],
    description: "1 for each retry on the same model",
  },
  ModelFallback: {
    unit: "Count",
    dimensions: [],
    description: "1 for each call to the fallback model",
  },
  InputTokens: {
    unit: "Count",
    dimensions: [],
    description:
      "Input tokens of each response, as counted by the provider, whether or not it could be used; nothing if it reports none",
  },
  CachedInputTokens: {
    unit: "Count",
    dimensions: [],
    description: "Input tokens that came from the provider's prompt cache; nothing if it reports no tokens",
  },
  OutputTokens: {
    unit: "Count",
    dimensions: [],
    description:
      "Output tokens of each response, as counted by the provider, whether or not it could be used; nothing if it reports none",
  },
  SourcesMissing: {
    unit: "Count",
    dimensions: [],
    description: "1 for each chat that went on without the clinic's sources, or without one that cannot be used",
  },
  SafetyAlerts: {
    unit: "Count",
    dimensions: ["level", "by"],
    description: "1 for each safety alert in a chat: `crisis` or `emergency`, detected by `screen` or `model`",
    withoutRequestId: true,
  },
  VerdictsMissing: {
    unit: "Count",
    dimensions: [],
    description:
      "1 for each suspected danger on which the model gave no verdict in time; the response says whom to call, or has the alert",
    withoutRequestId: true,
  },
  BadFeedback: {
    unit: "Count",
    dimensions: ["model", "instructions"],
    description:
      "For each answer that is rated for the first time, 1 if the rating is `bad` and 0 if it is `good`: the average is the share of bad answers, by model (`none` for fixed texts) and version of its instructions",
    withoutRequestId: true,
  },
  UnansweredHandoffs: {
    unit: "Count",
    dimensions: ["told"],
    description:
      "1 for each request for a person that nobody has answered within `handoffMinutes`; `told` says whether the user was told that the care team is informed (`yes` or `no`)",
    withoutRequestId: true,
  },
  ThreadIdTries: {
    unit: "Count",
    dimensions: [],
    description:
      "IDs tried for each new thread, so that the number of values is that of new threads: 1/(1 − p) on average when a share p of all IDs is taken, so 3.3 at 70%",
  },
  ThreadIdsExhausted: {
    unit: "Count",
    dimensions: [],
    description: "1 for each thread that was not created, because 20 IDs were tried and none was free",
  },
  SweptThreads: {
    unit: "Count",
    dimensions: [],
    description: "Threads removed by each sweep",
  },
  SweepFailures: {
    unit: "Count",
    dimensions: [],
    description: "Threads that a sweep could not remove; no value if it removed all. The next sweep tries again",
  },
  SweepCompleted: {
    unit: "Count",
    dimensions: [],
    description: "1 for each part of a sweep that processed every thread due without a failure, otherwise 0",
  },
  SweepLag: {
    unit: "Seconds",
    dimensions: [],
    description:
      "Time from when the first removed thread was due until the end of the sweep; no value if none was removed",
  },
  UndeliveredAge: {
    unit: "Seconds",
    dimensions: [],
    description: "Age of the oldest event that a webhook has not accepted yet, every minute; no value if there is none",
  },
  EventDeliveries: {
    unit: "Count",
    dimensions: ["outcome"],
    description:
      "Attempts to send an event to a webhook: `delivered`, `failed` and tried again later, or `given-up` after the last attempt",
  },
} as const satisfies Record<string, MetricDefinition>;

type Metrics = typeof METRICS;

/** The essential metrics (`METRICS`): those that alarms watch there, and what the model bills. */
export const ESSENTIAL_METRICS: readonly string[] = [
  "ModelFailure",
  "ModelRefused",
  "InputTokens",
  "CachedInputTokens",
  "OutputTokens",
  "SweepCompleted",
  "UndeliveredAge",
  "EventDeliveries",
  "UnansweredHandoffs",
] satisfies (keyof Metrics)[];

/** The names of all metrics, or of those with a unit. */
export type MetricName<Unit extends MetricUnit = MetricUnit> = {
  [Name in keyof Metrics]: Metrics[Name]["unit"] extends Unit ? Name : never;
}[keyof Metrics];

/** The metrics written without the request ID. */
export type UnlinkedMetricName = {
  [Name in keyof Metrics]: Metrics[Name] extends { withoutRequestId: true } ? Name : never;
}[keyof Metrics];

/** The names of a metric's dimensions; `never` if it has none. */
export type DimensionName<Name extends MetricName> = Metrics[Name]["dimensions"][number];

/** The metrics that have dimensions. */
export type DimensionedMetricName = {
  [Name in keyof Metrics]: [DimensionName<Name>] extends [never] ? never : Name;
}[keyof Metrics];
