// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties are what each resource type says they are
type Properties = Record<string, any>;

/** The parts of a synthesized template that are checked. */
export interface Template {
  Resources: Record<string, { Type: string; Properties?: Properties }>;
  Outputs?: Record<string, unknown>;
}

/** How close a template comes to an AWS limit. */
export interface Closeness {
  limit: string;
  /** The AWS documentation that defines the limit. */
  source: string;
  value: number;
  most: number;
  /** The logical ID of the resource that comes closest. */
  where: string;
}

/** Stands for a value that is unknown until the deployment: as long as the longest kind of ARN used here. */
const UNKNOWN = "x".repeat(150);

/** Estimates a deployed value: `Fn::Join` is joined, and every reference is as long as an ARN. */
function deployed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(deployed);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const [[name, argument] = ["", ""], ...more] = Object.entries(value as Properties);
  if (name === "Fn::Join" && more.length === 0) {
    return (argument[1] as unknown[]).map(deployed).join(argument[0]);
  }
  if (name === "Fn::GetAtt" && argument[1] === "Version") {
    return "x".repeat(5); // a function's version number
  }
  if (/^(Ref|Fn::)/.test(name) && more.length === 0) {
    return argument === "AWS::Partition"
      ? "aws"
      : /^AWS::(Region|AccountId)$/.test(argument)
        ? "x".repeat(14)
        : UNKNOWN;
  }
  return Object.fromEntries(Object.entries(value as Properties).map(([key, inner]) => [key, deployed(inner)]));
}

/** The length of a document as IAM and CloudWatch count it, without white space. */
const lengthOf = (value: unknown) =>
  typeof deployed(value) === "string" ? String(deployed(value)).length : JSON.stringify(deployed(value)).length;

/**
 * Compares a template with AWS's documented limits.
 *
 * @param template as synthesized
 * @param bytes the size of its file
 * @returns the closest value for each limit, in the order of the list
 */
export function limitsOf(template: Template, bytes: number): Closeness[] {
  const all = Object.entries(template.Resources);
  const of = (type: string, measure: (properties: Properties) => number): [number, string][] =>
    all.filter(([, { Type }]) => Type === type).map(([id, { Properties = {} }]) => [measure(Properties), id]);
  const inlineByRole = new Map<string, number>();
  for (const [, { Type, Properties = {} }] of all) {
    if (Type === "AWS::IAM::Policy") {
      for (const role of Properties.Roles) {
        inlineByRole.set(role.Ref, (inlineByRole.get(role.Ref) ?? 0) + lengthOf(Properties.PolicyDocument));
      }
    }
  }
  const permissions = new Map<string, [number, unknown[]]>();
  for (const [, { Type, Properties = {} }] of all) {
    if (Type === "AWS::Lambda::Permission") {
      const name = JSON.stringify(Properties.FunctionName);
      const statements = [...(permissions.get(name)?.[1] ?? []), Properties];
      permissions.set(name, [lengthOf(statements), statements]);
    }
  }
  const whole = (value: number): [number, string][] => [[value, "the template"]];
  const rows: [limit: string, source: string, most: number, found: [number, string][]][] = [
    ["resources in a template", "CloudFormation quotas", 500, whole(all.length)],
    ["outputs in a template", "CloudFormation quotas", 200, whole(Object.keys(template.Outputs ?? {}).length)],
    ["bytes of a template (in S3)", "CloudFormation quotas", 1_048_576, whole(bytes)],
    [
      "characters of all inline policies of a role",
      "IAM and AWS STS quotas",
      10_240,
      [...inlineByRole].map(([id, length]) => [length, id]),
    ],
    [
      "characters of a role's trust policy",
      "IAM and AWS STS quotas",
      2_048,
      of("AWS::IAM::Role", ({ AssumeRolePolicyDocument }) => lengthOf(AssumeRolePolicyDocument)),
    ],
    ["bytes of a key's policy", "AWS KMS quotas", 32_768, of("AWS::KMS::Key", ({ KeyPolicy }) => lengthOf(KeyPolicy))],
    [
      "bytes of a secret's policy",
      "AWS Secrets Manager quotas",
      20_480,
      of("AWS::SecretsManager::ResourcePolicy", ({ ResourcePolicy }) => lengthOf(ResourcePolicy)),
    ],
    [
      "bytes of a topic's policy",
      "Amazon SNS quotas",
      30_720,
      of("AWS::SNS::TopicPolicy", ({ PolicyDocument }) => lengthOf(PolicyDocument)),
    ],
    [
      "bytes of a function's permissions",
      "Lambda quotas",
      20_480,
      [...permissions].map(([name, [length]]) => [length, /"Ref":"(\w+)"/.exec(name)?.[1] ?? name]),
    ],
    [
      "bytes of a function's environment",
      "Lambda quotas",
      4_096,
      of("AWS::Lambda::Function", ({ Environment }) => lengthOf(Environment?.Variables ?? {})),
    ],
    ["seconds of a function", "Lambda quotas", 900, of("AWS::Lambda::Function", ({ Timeout }) => Timeout)],
    [
      "metrics of an alarm",
      "CloudWatch service quotas",
      10,
      of("AWS::CloudWatch::Alarm", ({ Metrics = [{ MetricStat: {} }] }) => Metrics.filter(isMetric).length),
    ],
    [
      "characters of an alarm's description",
      "PutMetricAlarm",
      1_024,
      of("AWS::CloudWatch::Alarm", ({ AlarmDescription = "" }) => AlarmDescription.length),
    ],
    [
      "seconds that an alarm looks back on periods below an hour",
      "PutMetricAlarm",
      86_400,
      of("AWS::CloudWatch::Alarm", (alarm) => (periodOf(alarm) < 3_600 ? evaluated(alarm) : 0)),
    ],
    ["seconds that an alarm looks back", "PutMetricAlarm", 604_800, of("AWS::CloudWatch::Alarm", evaluated)],
    [
      "characters of a composite alarm's rule",
      "PutCompositeAlarm",
      10_240,
      of("AWS::CloudWatch::CompositeAlarm", ({ AlarmRule }) => lengthOf(AlarmRule)),
    ],
    [
      "widgets of a dashboard",
      "CloudWatch service quotas",
      500,
      of("AWS::CloudWatch::Dashboard", ({ DashboardBody }) => widgetsOf(DashboardBody).length),
    ],
    [
      "metrics of a widget",
      "CloudWatch service quotas",
      500,
      of("AWS::CloudWatch::Dashboard", ({ DashboardBody }) =>
        Math.max(...widgetsOf(DashboardBody).map(({ properties }) => properties.metrics?.length ?? 0)),
      ),
    ],
    [
      "metrics of a dashboard",
      "CloudWatch service quotas",
      2_500,
      of("AWS::CloudWatch::Dashboard", ({ DashboardBody }) =>
        widgetsOf(DashboardBody).reduce((sum, { properties }) => sum + (properties.metrics?.length ?? 0), 0),
      ),
    ],
    ["metric filters of a log group", "CloudWatch Logs quotas", 100, filtersByGroup(all)],
    [
      "log groups of a saved query",
      "PutQueryDefinition",
      50,
      of("AWS::Logs::QueryDefinition", ({ LogGroupNames = [] }) => LogGroupNames.length),
    ],
    [
      "indexes of a table",
      "Quotas in Amazon DynamoDB",
      20,
      of("AWS::DynamoDB::Table", ({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes.length),
    ],
    [
      "routes of an API",
      "Amazon API Gateway quotas",
      300,
      whole(all.filter(([, { Type }]) => Type === "AWS::ApiGateway::Resource").length),
    ],
  ];
  return rows.flatMap(([limit, source, most, found]) => {
    const [closest] = found.sort(([a], [b]) => b - a);
    return closest ? [{ limit, source, most, value: closest[0], where: closest[1] }] : [];
  });
}

function isMetric({ MetricStat }: Properties): boolean {
  return MetricStat !== undefined;
}

function periodOf({ Period, Metrics = [] }: Properties): number {
  return Period ?? Math.max(...Metrics.map((metric: Properties) => metric.MetricStat?.Period ?? metric.Period ?? 0));
}

function evaluated(alarm: Properties): number {
  return periodOf(alarm) * alarm.EvaluationPeriods;
}

function widgetsOf(body: unknown): Properties[] {
  return JSON.parse(String(deployed(body))).widgets;
}

function filtersByGroup(all: [string, { Type: string; Properties?: Properties }][]): [number, string][] {
  const groups = all
    .filter(([, { Type }]) => Type === "AWS::Logs::MetricFilter")
    .map(([, { Properties }]) => String(Properties?.LogGroupName.Ref));
  return [...new Set(groups)].map((group) => [groups.filter((other) => other === group).length, group]);
}
