// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties are what each resource type says they are
type Properties = Record<string, any>;

/** The part of a synthesized template that is checked. */
export interface Template {
  Resources: Record<string, { Type: string; Properties?: Properties }>;
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

/** A value to compare with a limit, and the logical ID of its resource. */
type Found = [value: number, where: string];

interface Limit {
  limit: string;
  /** The AWS documentation that defines it. */
  source: string;
  most: number;
  found: Found[];
}

/**
 * Compares a template with AWS's documented limits, for every resource type in it. Limits that cfn-lint checks are left
 * out, except those on documents with references, which it cannot measure.
 *
 * @param template as synthesized
 * @returns the closest value for each limit, from the closest to the furthest
 */
export function limitsOf({ Resources }: Template): Closeness[] {
  const of = (type: string, measure: (properties: Properties) => number): Found[] =>
    Object.entries(Resources)
      .filter(([, { Type }]) => Type === `AWS::${type}`)
      .map(([id, { Properties = {} }]) => [measure(Properties), id]);
  /** The values of a type's resources, added up by what they belong to. */
  const sums = (
    type: string,
    owners: (properties: Properties) => unknown[],
    measure: (properties: Properties) => number,
  ): Found[] => {
    const totals = new Map<string, number>();
    for (const { Type, Properties = {} } of Object.values(Resources)) {
      for (const owner of Type === `AWS::${type}` ? owners(Properties) : []) {
        const name = /"Ref":"([^"]+)"/.exec(JSON.stringify(owner))?.[1] ?? JSON.stringify(owner);
        totals.set(name, (totals.get(name) ?? 0) + measure(Properties));
      }
    }
    return [...totals].map(([owner, total]) => [total, owner]);
  };
  const tags = Object.entries(Resources).map(([id, { Properties }]): Found => [Properties?.Tags?.length ?? 0, id]);
  const alarmQueries = (wanted: (query: Properties) => boolean) =>
    of("CloudWatch::Alarm", ({ Metrics = [{ MetricStat: {} }] }) => Metrics.filter(wanted).length);
  const integrations = (mode: string) =>
    of("ApiGateway::Method", ({ Integration: { ResponseTransferMode = "BUFFERED", TimeoutInMillis = 0 } }) =>
      ResponseTransferMode === mode ? TimeoutInMillis / 1000 : 0,
    );
  const limits: Limit[] = [
    // IAM, KMS
    {
      limit: "characters of all inline policies of a role",
      source: "IAM and AWS STS quotas",
      most: 10_240,
      found: sums(
        "IAM::Policy",
        ({ Roles }) => Roles,
        ({ PolicyDocument }) => lengthOf(PolicyDocument),
      ),
    },
    {
      limit: "characters of a role's trust policy",
      source: "IAM and AWS STS quotas",
      most: 2_048,
      found: of("IAM::Role", ({ AssumeRolePolicyDocument }) => lengthOf(AssumeRolePolicyDocument)),
    },
    {
      limit: "bytes of a key's policy",
      source: "AWS KMS quotas",
      most: 32_768,
      found: of("KMS::Key", ({ KeyPolicy }) => lengthOf(KeyPolicy)),
    },
    { limit: "tags of a resource", source: "Tagging AWS resources", most: 50, found: tags },
    // Lambda
    {
      limit: "bytes of a function's permissions",
      source: "Lambda quotas",
      most: 20_480,
      found: sums("Lambda::Permission", ({ FunctionName }) => [FunctionName], lengthOf),
    },
    {
      limit: "bytes of a function's environment",
      source: "Lambda quotas",
      most: 4_096,
      found: of("Lambda::Function", ({ Environment }) => lengthOf(Environment?.Variables ?? {})),
    },
    {
      limit: "reserved concurrency of all functions, of a quota of 1,000",
      source: "Configuring reserved concurrency",
      most: 900,
      found: sums(
        "Lambda::Function",
        () => [{ Ref: "all functions" }],
        ({ ReservedConcurrentExecutions = 0 }) => ReservedConcurrentExecutions,
      ),
    },
    // API Gateway
    {
      limit: "routes of an API",
      source: "Quotas for configuring and running a REST API",
      most: 300,
      found: sums(
        "ApiGateway::Resource",
        ({ RestApiId }) => [RestApiId],
        () => 1,
      ),
    },
    {
      limit: "seconds of an integration that does not stream",
      source: "Quotas for configuring and running a REST API",
      most: 29,
      found: integrations("BUFFERED"),
    },
    {
      limit: "seconds of a streaming integration",
      source: "Stream the integration response for your proxy integrations",
      most: 900,
      found: integrations("STREAM"),
    },
    {
      limit: "characters of a base path",
      source: "CreateApiMapping",
      most: 300,
      found: of("ApiGatewayV2::ApiMapping", ({ ApiMappingKey = "" }) => ApiMappingKey.length),
    },
    // AWS WAF
    {
      limit: "capacity units of a web ACL at the base price",
      source: "Web ACL capacity units (WCUs) in AWS WAF",
      most: 1_500,
      found: of("WAFv2::WebACL", ({ Rules }) =>
        Rules.reduce((units: number, { Statement }: Properties) => units + capacityOf(Statement), 0),
      ),
    },
    {
      limit: "rate-based rules of a web ACL",
      source: "AWS WAF quotas",
      most: 10,
      found: of(
        "WAFv2::WebACL",
        ({ Rules }) => Rules.filter(({ Statement }: Properties) => Statement.RateBasedStatement).length,
      ),
    },
    {
      limit: "bytes of a custom response",
      source: "AWS WAF quotas",
      most: 4_096,
      found: of("WAFv2::WebACL", ({ CustomResponseBodies = {} }) =>
        Math.max(0, ...Object.values<Properties>(CustomResponseBodies).map(({ Content }) => Content.length)),
      ),
    },
    // DynamoDB, AWS Backup, S3
    {
      limit: "indexes of a table",
      source: "Quotas in Amazon DynamoDB",
      most: 20,
      found: of("DynamoDB::Table", ({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes.length),
    },
    {
      limit: "bytes of a table's policy",
      source: "Quotas in Amazon DynamoDB",
      most: 20_480,
      found: of("DynamoDB::Table", ({ ResourcePolicy = {} }) => lengthOf(ResourcePolicy)),
    },
    {
      limit: "days that a backup is kept",
      source: "Lifecycle (AWS Backup)",
      most: 36_500,
      found: of("Backup::BackupPlan", ({ BackupPlan }) =>
        Math.max(...BackupPlan.BackupPlanRule.map(({ Lifecycle }: Properties) => Lifecycle.DeleteAfterDays)),
      ),
    },
    {
      limit: "days that Object Lock keeps an object",
      source: "Configuring S3 Object Lock",
      most: 36_500,
      found: of(
        "S3::Bucket",
        ({ ObjectLockConfiguration }) => ObjectLockConfiguration?.Rule.DefaultRetention.Days ?? 0,
      ),
    },
    {
      limit: "bytes of a bucket's policy",
      source: "Bucket policies for Amazon S3",
      most: 20_480,
      found: of("S3::BucketPolicy", ({ PolicyDocument }) => lengthOf(PolicyDocument)),
    },
    // CodeDeploy, EventBridge, SNS
    {
      limit: "alarms of a deployment group",
      source: "AlarmConfiguration (CodeDeploy)",
      most: 10,
      found: of("CodeDeploy::DeploymentGroup", ({ AlarmConfiguration }) => AlarmConfiguration?.Alarms?.length ?? 0),
    },
    {
      limit: "minutes of a canary",
      source: "CodeDeploy quotas",
      most: 2_880,
      found: of(
        "CodeDeploy::DeploymentConfig",
        ({ TrafficRoutingConfig }) => TrafficRoutingConfig.TimeBasedCanary.CanaryInterval,
      ),
    },
    {
      limit: "characters of an event pattern",
      source: "Amazon EventBridge quotas",
      most: 2_048,
      found: of("Events::Rule", ({ EventPattern = {} }) => lengthOf(EventPattern)),
    },
    {
      limit: "bytes of a topic's policy",
      source: "Amazon SNS quotas",
      most: 30_720,
      found: of("SNS::TopicPolicy", ({ PolicyDocument }) => lengthOf(PolicyDocument)),
    },
    {
      limit: "characters of a topic's display name",
      source: "CreateTopic",
      most: 100,
      found: of("SNS::Topic", ({ DisplayName = "" }) => DisplayName.length),
    },
    // CloudWatch
    { limit: "queries of an alarm", source: "MetricDataQuery", most: 20, found: alarmQueries(() => true) },
    { limit: "metrics of an alarm", source: "MetricDataQuery", most: 10, found: alarmQueries(isMetric) },
    {
      limit: "expressions of an alarm",
      source: "MetricDataQuery",
      most: 10,
      found: alarmQueries((query) => !isMetric(query)),
    },
    {
      limit: "seconds that an alarm looks back on periods below an hour",
      source: "PutMetricAlarm",
      most: 86_400,
      found: of("CloudWatch::Alarm", (alarm) => (periodOf(alarm) < 3_600 ? evaluated(alarm) : 0)),
    },
    {
      limit: "seconds that an alarm looks back",
      source: "PutMetricAlarm",
      most: 604_800,
      found: of("CloudWatch::Alarm", evaluated),
    },
    {
      limit: "alarms of a composite alarm",
      source: "PutCompositeAlarm",
      most: 100,
      found: of(
        "CloudWatch::CompositeAlarm",
        ({ AlarmRule }) => String(deployed(AlarmRule)).split(/\b(?:ALARM|OK)\(/).length - 1,
      ),
    },
    {
      limit: "characters of a composite alarm's rule",
      source: "PutCompositeAlarm",
      most: 10_240,
      found: of("CloudWatch::CompositeAlarm", ({ AlarmRule }) => lengthOf(AlarmRule)),
    },
    {
      limit: "widgets of a dashboard",
      source: "CloudWatch service quotas",
      most: 500,
      found: of("CloudWatch::Dashboard", (dashboard) => widgetsOf(dashboard).length),
    },
    {
      limit: "metrics of a widget",
      source: "CloudWatch service quotas",
      most: 500,
      found: of("CloudWatch::Dashboard", (dashboard) => Math.max(...widgetsOf(dashboard).map(metricCount))),
    },
    {
      limit: "metrics of a dashboard",
      source: "CloudWatch service quotas",
      most: 2_500,
      found: of("CloudWatch::Dashboard", (dashboard) =>
        widgetsOf(dashboard).reduce((sum, widget) => sum + metricCount(widget), 0),
      ),
    },
    {
      limit: "metric filters of a log group",
      source: "CloudWatch Logs quotas",
      most: 100,
      found: sums(
        "Logs::MetricFilter",
        ({ LogGroupName }) => [LogGroupName],
        () => 1,
      ),
    },
    {
      limit: "log groups of a saved query",
      source: "PutQueryDefinition",
      most: 50,
      found: of("Logs::QueryDefinition", ({ LogGroupNames = [] }) => LogGroupNames.length),
    },
  ];
  return limits
    .flatMap(({ found, ...limit }) => {
      const [closest] = found.sort(([a], [b]) => b - a);
      return closest ? [{ ...limit, value: closest[0], where: closest[1] }] : [];
    })
    .sort((a, b) => b.value / b.most - a.value / a.most);
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

function widgetsOf({ DashboardBody }: Properties): Properties[] {
  return JSON.parse(String(deployed(DashboardBody))).widgets;
}

function metricCount({ properties }: Properties): number {
  return properties.metrics?.length ?? 0;
}

/** The capacity units of AWS's managed rule groups ("AWS Managed Rules rule groups list"). */
const GROUP_UNITS: Record<string, number> = {
  AWSManagedRulesAmazonIpReputationList: 25,
  AWSManagedRulesCommonRuleSet: 700,
  AWSManagedRulesKnownBadInputsRuleSet: 200,
};

/** The capacity units of a firewall rule ("Rate-based rule statement", "String match rule statement"). */
function capacityOf({ RateBasedStatement, ManagedRuleGroupStatement, ByteMatchStatement }: Properties): number {
  if (ManagedRuleGroupStatement) {
    return GROUP_UNITS[ManagedRuleGroupStatement.Name] ?? Number.NaN;
  }
  if (ByteMatchStatement) {
    return 2 + 10 * ByteMatchStatement.TextTransformations.length; // a prefix
  }
  return 2 + (RateBasedStatement.ScopeDownStatement ? capacityOf(RateBasedStatement.ScopeDownStatement) : 0);
}
