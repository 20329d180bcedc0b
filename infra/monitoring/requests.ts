import { Duration, Stack } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { MathExpression, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type Endpoint, functionOf } from "../../shared/contract/endpoint.ts";
import { endpoints, type FunctionName } from "../../shared/openapi/registry.ts";
import { chatLimits } from "../../shared/time-limits.ts";
import { type Api, STAGE_NAME } from "../api.ts";
import type { FailureAlarm } from "../failure-alarm.ts";
import { pascalCase } from "../pascal-case.ts";
import type { ServiceFunction } from "../service-function.ts";
import type { Domain, Settings } from "../settings.ts";
import { ServiceAlarm } from "./alarms.ts";
import {
  applicationMetric,
  byDimension,
  byId,
  FIVE_MINUTES,
  type Graph,
  highest,
  inGroups,
  POINT,
  sum,
} from "./metrics.ts";

const FAILED_INTEGRATION = FilterPattern.stringValue("$.gatewayResponse", "=", "INTEGRATION_FAILURE");

/** What the gateway answers itself, in the access log: the lines, and the metric that counts them. */
const REJECTIONS = {
  /** By the stage's throttle. */
  throttled: {
    pattern: FilterPattern.stringValue("$.gatewayResponse", "=", "THROTTLED"),
    metricName: "throttled-requests",
  },
  /** By Lambda, for lack of concurrency: it answers the gateway with a 429, and with a 5xx if it fails itself. */
  notInvoked: {
    pattern: FilterPattern.all(FAILED_INTEGRATION, FilterPattern.stringValue("$.integrationStatus", "!=", "5*")),
    metricName: "throttled-invocations",
  },
  /** By Lambda, for whatever reason. The caller gets a 429, so the gateway does not count it as a 5xx. */
  failed: { pattern: FAILED_INTEGRATION, metricName: "failed-integrations" },
};

/** The firewall's rules that answer with 429. */
function rateRules({ firewall, requestsInFiveMinutes }: Settings): string[] {
  return firewall ? ["RequestsPerAddress", ...(requestsInFiveMinutes > 0 ? ["AllRequests"] : [])] : [];
}

/**
 * A metric of the gateway. It identifies the API and its stage by name and not by reference, because both depend on the
 * functions, whose deployment may be rolled back on an alarm.
 */
function ofStage(scope: Construct, metricName: string): Metric {
  return new Metric({
    namespace: "AWS/ApiGateway",
    metricName,
    dimensionsMap: { ApiName: Stack.of(scope).stackName, Stage: STAGE_NAME },
    statistic: "Sum",
    period: FIVE_MINUTES,
  });
}

/**
 * The alarm on an outage that includes what is in front of the functions: an alias, a permission or the account's
 * concurrency is gone. No function fails then, so no alarm on functions goes off.
 *
 * @param accessLog in which failed integrations are counted
 */
export function gatewayDown(scope: Construct, accessLog: ILogGroup): ServiceAlarm {
  countRejection(scope, accessLog, "failed");
  return new ServiceAlarm(scope, "gateway-down", {
    problem: "At least half of all requests, and at least 5 in 5 minutes, failed in 10 of the last 15 minutes.",
    metric: new MathExpression({
      label: "failed requests, %",
      // Without a failed integration, there is no value, so they cannot be added with a plus.
      expression: "IF(SUM([failed, errors]) >= 5, 100 * SUM([failed, errors]) / requests, 0)",
      usingMetrics: {
        failed: rejections(scope, "failed", FIVE_MINUTES),
        errors: ofStage(scope, "5XXError"),
        requests: ofStage(scope, "Count"),
      },
      period: FIVE_MINUTES,
    }),
    threshold: 50,
    periods: [2, 3],
    severity: "urgent",
  });
}

/** The number of requests. */
export const requestCount = (scope: Construct): Metric => ofStage(scope, "Count");

/** How many days before the certificate expires somebody is told. AWS Certificate Manager renews it earlier, if it can. */
const EXPIRING_DAYS = 30;

/** The alarm on a certificate that was not renewed. One that has expired has no metric any more. */
export function certificateExpiring(scope: Construct, { certificateArn }: Domain): ServiceAlarm {
  const period = Duration.days(1);
  return new ServiceAlarm(scope, "certificate-expiring", {
    problem: `The certificate of the domain name expires in ${EXPIRING_DAYS} days or less, and was not renewed.`,
    metric: new MathExpression({
      label: "days in which the certificate has to be renewed",
      expression: `IF(left <= ${EXPIRING_DAYS}, 1, 0)`,
      usingMetrics: {
        left: new Metric({
          namespace: "AWS/CertificateManager",
          metricName: "DaysToExpiry",
          dimensionsMap: { CertificateArn: certificateArn },
          statistic: "Minimum",
          period,
        }),
      },
      period,
    }),
    threshold: 1,
    periods: [2, 2],
    missing: TreatMissingData.BREACHING,
    severity: "notice",
  });
}

/** The alarm on failed requests of all kinds. */
export function apiErrors(scope: Construct): ServiceAlarm {
  return new ServiceAlarm(scope, "api-errors", {
    problem: "At least 5% of requests, and at least 5 in 5 minutes, returned a 5xx status.",
    metric: new MathExpression({
      label: "requests with a 5xx status, %",
      expression: "IF(errors >= 5, 100 * errors / requests, 0)",
      usingMetrics: {
        errors: ofStage(scope, "5XXError"),
        requests: ofStage(scope, "Count"),
      },
      period: FIVE_MINUTES,
    }),
    threshold: 5,
    severity: "outage",
  });
}

/**
 * The alarm on an outage of all chats, our own or those of OpenAI's clients. Unlike the signs of an outage, it notifies
 * somebody even if `outage` is already on, for example because answers have been slow all day.
 *
 * @param failing the alarms of the functions that answer chats, each of which may be the only one with traffic
 */
export function chatsDown(scope: Construct, failing: FailureAlarm[]): ServiceAlarm {
  const percent = byId(
    "p",
    failing.flatMap(({ failedPercent }) => failedPercent ?? []),
  );
  return new ServiceAlarm(scope, "chats-down", {
    problem: "At least half of the chats, or of those through OpenAI's clients, failed in 10 of the last 15 minutes.",
    metric: new MathExpression({
      label: "failed chats, %",
      expression: `MAX([${Object.keys(percent).join(", ")}])`,
      usingMetrics: percent,
      period: FIVE_MINUTES,
    }),
    threshold: 50,
    periods: [2, 3],
    severity: "urgent",
  });
}

/** Alarms on latency, throttling, unknown API keys, guessed IDs and, if configured, a lack of traffic. */
export function requestAlarms(scope: Construct, { restApi, functions }: Api, settings: Settings): ServiceAlarm[] {
  const { silentHours, firewall, modelSeconds } = settings;
  const limited = rateRules(settings);
  const rejected = [
    rejections(scope, "throttled", FIVE_MINUTES),
    ...limited.map((rule) => blocked(scope, rule, rule, FIVE_MINUTES)),
  ];
  return [
    ...slowAlarms(scope, functions, modelSeconds),
    new ServiceAlarm(scope, "functions-throttled", {
      problem: "Lambda throttled 5 invocations in 5 minutes; each caller received a 429.",
      metric: rejections(scope, "notInvoked", FIVE_MINUTES),
      threshold: 5,
      severity: "notice", // this is what the limit on concurrent chats is for
    }),
    new ServiceAlarm(scope, "api-throttled", {
      problem: "20 requests in 5 minutes were rejected with a 429: too many per second, or from one address.",
      metric: sum(rejected, "requests rejected with 429", FIVE_MINUTES),
      threshold: 20,
      severity: "notice",
    }),
    ...(firewall ? [firewallBlocks(scope, limited)] : []),
    ...(silentHours > 0 ? [noTraffic(scope, restApi, silentHours)] : []),
    new ServiceAlarm(scope, "keys-refused", {
      problem: "100 requests in 5 minutes had an unknown API key.",
      metric: applicationMetric(scope, "AuthenticationFailures", {
        dimensions: { reason: "unknown" },
        period: FIVE_MINUTES,
      }),
      threshold: 100,
      severity: "notice",
    }),
    new ServiceAlarm(scope, "ids-guessed", {
      problem: "300 requests in 5 minutes were for threads or patients that do not exist.",
      metric: applicationMetric(scope, "UnknownIds", { period: FIVE_MINUTES }),
      threshold: 300,
      severity: "notice",
    }),
  ];
}

/** The alarm on requests that a managed rule blocks: the client has no access, whatever its key. */
function firewallBlocks(scope: Construct, limited: string[]): ServiceAlarm {
  const byRule = byId(
    "r",
    limited.map((rule) => blocked(scope, rule, rule, FIVE_MINUTES)),
  );
  return new ServiceAlarm(scope, "firewall-blocks", {
    problem: "The firewall rejected 20 requests in 5 minutes with a 403.",
    metric: new MathExpression({
      label: "requests rejected with 403",
      expression: `SUM([${["blocked", ...Object.keys(byRule).map((id) => `0 - ${id}`)].join(", ")}])`,
      usingMetrics: { blocked: blocked(scope, "ALL", "blocked", FIVE_MINUTES), ...byRule },
      period: FIVE_MINUTES,
    }),
    threshold: 20,
    severity: "notice",
  });
}

/** The alarm on a complete lack of requests: the DNS record, the certificate or the network path is broken. */
function noTraffic(scope: Construct, restApi: RestApi, hours: number): ServiceAlarm {
  const period = Duration.hours(1);
  return new ServiceAlarm(scope, "no-traffic", {
    problem: `There has been no request for ${hours} hours.`,
    metric: new MathExpression({
      label: "hours without a request",
      expression: "FILL(requests, 0) < 1",
      usingMetrics: { requests: restApi.deploymentStage.metricCount({ statistic: "Sum", period }) },
      period,
    }),
    threshold: 1,
    periods: [hours, hours],
    missing: TreatMissingData.BREACHING,
    severity: "urgent",
  });
}

/**
 * As many alarms on latency as the number of functions requires, without public pages, for which nobody should be
 * woken. Lambda's own duration metric includes sending the whole response.
 */
function slowAlarms(scope: Construct, functions: Api["functions"], modelSeconds: number): ServiceAlarm[] {
  const served = Map.groupBy(
    endpoints.filter((endpoint) => !endpoint.public),
    functionOf,
  );
  return inGroups([...served], 2).map(
    (group, index) =>
      new ServiceAlarm(scope, index === 0 ? "slow" : `slow-${index + 1}`, {
        problem:
          "The p95 latency of a function with at least 5 requests in 5 minutes was above its limit for 15 minutes.",
        metric: slowestOf(group, functions, modelSeconds),
        threshold: 1,
        periods: [3, 3],
        severity: "outage",
      }),
  );
}

/** The fewest requests of a function in five minutes whose latency can set off an alarm: of two, one is the p95. */
const FEWEST_REQUESTS = 5;

/**
 * The p95 duration of the slowest function, as a share of its limit, the highest of its endpoints: a single expression,
 * since an alarm has at most ten ("MetricDataQuery").
 */
function slowestOf(
  group: [name: string, served: Endpoint[]][],
  functions: Api["functions"],
  modelSeconds: number,
): MathExpression {
  const limit = ({ p95Milliseconds = chatLimits(modelSeconds).p95Milliseconds }: Endpoint) => p95Milliseconds;
  const shares = group.map(([, served], index) => {
    const share = `p${index} / ${Math.max(...served.map(limit))}`;
    return `IF(n${index} >= ${FEWEST_REQUESTS}, ${share}, 0)`;
  });
  const durations = (statistic: string) =>
    group.map(([name]) => functions[name as FunctionName].metricDuration({ statistic, period: FIVE_MINUTES }));
  return new MathExpression({
    label: "p95 of the slowest function, as a share of its limit",
    expression: `MAX([${shares.join(", ")}])`,
    usingMetrics: { ...byId("p", durations("p95")), ...byId("n", durations("SampleCount")) },
    period: FIVE_MINUTES,
  });
}

/** Requests and errors, as counted by the gateway. */
export function gatewayGraph({ restApi }: Api): Graph {
  const stage = restApi.deploymentStage;
  const total = { statistic: "Sum", period: POINT };
  return {
    title: "Requests and errors",
    left: [stage.metricCount({ ...total, label: "requests" })],
    right: [
      stage.metricServerError({ ...total, label: "5xx" }),
      stage.metricClientError({ ...total, label: "4xx, including 429" }),
    ],
  };
}

/** Traffic, and errors by route, function and kind. */
export function requestGraphs(scope: Construct, api: Api, functions: ServiceFunction[]): Graph[] {
  return [
    gatewayGraph(api),
    {
      title: "Failures by function or group: crashes, timeouts, 5xx",
      left: [...new Set(functions.flatMap(({ failing }) => failing ?? []))].map(({ failures }) => failures),
    },
    { title: "Requests by function, those with the most", left: [highest(functions.map((fn) => invocations(fn)))] },
    { title: "Errors by kind", left: [byDimension(scope, "Errors", "Sum", POINT)], stacked: true },
  ];
}

export function gatewayLatency({ restApi }: Api): Graph {
  const stage = restApi.deploymentStage;
  return {
    title: "Latency of all requests at the gateway",
    left: ["p50", "p95", "p99"].map((statistic) => stage.metricLatency({ statistic, period: POINT, label: statistic })),
  };
}

function invocations(fn: ServiceFunction): Metric {
  return fn.metricInvocations({ statistic: "Sum", period: POINT, label: fn.serviceName });
}

export function functionLatency(functions: Record<string, ServiceFunction>): Graph {
  return {
    title: "p95 by function, the slowest",
    left: [
      highest(
        Object.entries(functions).map(([label, fn]) => fn.metricDuration({ statistic: "p95", period: POINT, label })),
      ),
    ],
  };
}

/** Requests over a quota, and for ids that do not exist. */
export function quotaGraphs(scope: Construct): Graph[] {
  return [
    {
      title: "Over a quota",
      left: [byDimension(scope, "QuotaExceeded", "Sum", POINT)],
      right: [applicationMetric(scope, "QuotaUnavailable", { period: POINT, label: "not counted" })],
      stacked: true,
    },
    {
      title: "Unknown thread and patient ids",
      left: [applicationMetric(scope, "UnknownIds", { period: POINT, label: "unknown ids" })],
    },
  ];
}

/** Safety alerts, and requests rejected for their key or before they reached a function. */
export function callerGraphs(scope: Construct, { firewall }: Settings): Graph[] {
  return [
    {
      title: "Safety alerts by level and detector",
      left: [byDimension(scope, "SafetyAlerts", "Sum", POINT)],
      right: [applicationMetric(scope, "VerdictsMissing", { period: POINT, label: "no verdict" })],
      stacked: true,
    },
    {
      title: "API keys: rejected, and used after rotation",
      left: [byDimension(scope, "AuthenticationFailures", "Sum", POINT)],
      right: [applicationMetric(scope, "PreviousKeyUsed", { period: POINT, label: "previous key" })],
    },
    {
      title: "Rejected before reaching a function",
      left: [
        rejections(scope, "throttled", POINT, "throttled"),
        rejections(scope, "notInvoked", POINT, "throttled by Lambda"),
        ...(firewall
          ? [
              blocked(scope, "RequestsPerAddress", "over the limit per address", POINT),
              blocked(scope, "ALL", "blocked by any firewall rule", POINT),
            ]
          : []),
      ],
    },
  ];
}

/**
 * Counts the requests that the stage's throttle or Lambda rejects. A REST API has no metric for them: they are included
 * in its 4xx ("Amazon API Gateway dimensions and metrics"), but the access log contains the type of gateway response.
 * Lambda's own metric would have to be watched for each function, and an alarm is billed by its metrics.
 */
export function countRejections(scope: Construct, accessLog: ILogGroup): void {
  countRejection(scope, accessLog, "throttled");
  countRejection(scope, accessLog, "notInvoked");
}

function countRejection(scope: Construct, logGroup: ILogGroup, reason: keyof typeof REJECTIONS): void {
  const { pattern: filterPattern, metricName } = REJECTIONS[reason];
  const metricNamespace = Stack.of(scope).stackName;
  new MetricFilter(scope, pascalCase(reason), { logGroup, filterPattern, metricNamespace, metricName });
}

function rejections(scope: Construct, reason: keyof typeof REJECTIONS, period: Duration, label?: string): Metric {
  return new Metric({
    namespace: Stack.of(scope).stackName,
    metricName: REJECTIONS[reason].metricName,
    statistic: "Sum",
    period,
    ...(label && { label }),
  });
}

/** Requests that a firewall rule blocked ("AWS WAF metrics and dimensions"). */
function blocked(scope: Construct, rule: string, label: string, period: Duration): Metric {
  const { stackName, region } = Stack.of(scope);
  return new Metric({
    namespace: "AWS/WAFV2",
    metricName: "BlockedRequests",
    dimensionsMap: { WebACL: stackName, Region: region, Rule: rule },
    statistic: "Sum",
    period,
    label,
  });
}
