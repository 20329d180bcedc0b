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

/** Stands for the name of a function: as long as Lambda allows (CreateFunction). */
const FUNCTION_NAME = "x".repeat(64);

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

/**
 * Compares a template with those of AWS's documented limits that a growing service comes closer to. Of these, cfn-lint
 * 1.58 checks the length of a composite alarm's rule and of an environment, unless they contain references.
 *
 * @param template as synthesized
 * @returns the closest value for each limit, from the closest to the furthest
 */
export function limitsOf({ Resources }: Template): Closeness[] {
  const measuresOf = (type: string, measure: (properties: Properties) => number): Found[] =>
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
  /** Environment variables, where functions are named and not identified by ARNs. */
  const withNames = (variables: Properties): Properties =>
    Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        name,
        Resources[value?.Ref]?.Type === "AWS::Lambda::Function" ? FUNCTION_NAME : value,
      ]),
    );
  const alarmQueries = (wanted: (query: Properties) => boolean) =>
    measuresOf("CloudWatch::Alarm", ({ Metrics = [{ MetricStat: {} }] }) => Metrics.filter(wanted).length);
  /** The limits: what AWS documents where, the most that is allowed, and what the template has. */
  const limits: Record<string, Record<string, [most: number, found: Found[]]>> = {
    "IAM and AWS STS quotas": {
      "characters of all inline policies of a role": [
        10_240,
        sums("IAM::Policy", ({ Roles }) => Roles, measured("PolicyDocument")),
      ],
    },
    "Lambda quotas": {
      "bytes of a function's environment": [
        4_096,
        measuresOf("Lambda::Function", ({ Environment }) => lengthOf(withNames(Environment?.Variables ?? {}))),
      ],
    },
    "Configuring reserved concurrency": {
      "reserved concurrency of all functions, of a quota of 1,000": [
        900,
        sums("Lambda::Function", () => [{ Ref: "all functions" }], amount("ReservedConcurrentExecutions")),
      ],
    },
    "Web ACL capacity units (WCUs) in AWS WAF": {
      "capacity units of a web ACL at the base price": [
        1_500,
        measuresOf("WAFv2::WebACL", ({ Rules }) =>
          Rules.reduce((units: number, { Statement }: Properties) => units + capacityOf(Statement), 0),
        ),
      ],
    },
    MetricDataQuery: {
      "queries of an alarm": [20, alarmQueries(() => true)],
      "metrics of an alarm": [10, alarmQueries(isMetric)],
      "expressions of an alarm": [10, alarmQueries((query) => !isMetric(query))],
    },
    PutCompositeAlarm: {
      "alarms of a composite alarm": [
        100,
        measuresOf(
          "CloudWatch::CompositeAlarm",
          ({ AlarmRule }) => String(deployed(AlarmRule)).split(/\b(?:ALARM|OK)\(/).length - 1,
        ),
      ],
      "characters of a composite alarm's rule": [
        10_240,
        measuresOf("CloudWatch::CompositeAlarm", measured("AlarmRule")),
      ],
    },
    PutQueryDefinition: {
      "log groups of a saved query": [50, measuresOf("Logs::QueryDefinition", size("LogGroupNames"))],
    },
  };
  return Object.entries(limits)
    .flatMap(([source, ofSource]) =>
      Object.entries(ofSource).flatMap(([limit, [most, found]]): Closeness[] => {
        const [closest] = found.sort(([a], [b]) => b - a);
        return closest ? [{ limit, source, most, value: closest[0], where: closest[1] }] : [];
      }),
    )
    .sort((a, b) => b.value / b.most - a.value / a.most);
}

const amount = (name: string) => (properties: Properties) => properties[name] ?? 0;
const size = (name: string) => (properties: Properties) => properties[name]?.length ?? 0;
const measured = (name: string) => (properties: Properties) => lengthOf(properties[name] ?? {});

function isMetric({ MetricStat }: Properties): boolean {
  return MetricStat !== undefined;
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
