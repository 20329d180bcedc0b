import { ESSENTIAL_METRICS, METRICS } from "../../shared/request/metric-registry.ts";
import { STEADY, VALUES } from "./prices.ts";

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties are what each resource type says they are
type Properties = Record<string, any>;
export type Resources = Record<string, { Type: string; Properties?: Properties }>;

/** The parts of a template that are billed by the month or by use. */
export interface Counts {
  secrets: number;
  keys: number;
  rotatedKeys: number;
  /** How long the logs that grow with the chats are kept. */
  logDays: number;
  backupDays: number;
  /** How long each copy of a backup in another region is kept, added up over the regions. */
  copyDays: number;
  dashboards: number;
  alarmMetrics: number;
  compositeAlarms: number;
  /** Metrics with values in every hour. */
  steadyMetrics: number;
  /** Metrics without values in every hour, such as those of failures. */
  occasionalMetrics: number;
  firewallRules: number;
  chatMegabytes: number;
  createThreadMegabytes: number;
  sweepMegabytes: number;
  deliveryMegabytes: number;
  feedbackMegabytes: number;
  /**
   * The most chats that can run at the same time, those of OpenAI's clients included; undefined without such a limit.
   */
  concurrentChats: number | undefined;
  tracing: boolean;
}

/** Counts the billed parts of a synthesized template. */
export function countBilled(resources: Resources): Counts {
  const ofType = (type: string): Properties[] =>
    Object.values(resources)
      .filter(({ Type }) => Type === type)
      .map(({ Properties = {} }) => Properties);
  const functions = Object.entries(resources).filter(([, { Type }]) => Type === "AWS::Lambda::Function");
  const properties = (prefix: string): Properties =>
    functions.find(([id]) => id.startsWith(prefix))?.[1].Properties ?? {};
  const megabytes = (prefix: string): number => properties(prefix).MemorySize ?? 0;
  const reserved = (prefix: string): number => properties(prefix).ReservedConcurrentExecutions ?? 0;
  const filters = ofType("AWS::Logs::MetricFilter").map(
    ({ MetricTransformations: [{ MetricNamespace, MetricName }] }) => `${MetricNamespace} ${MetricName}`,
  );
  const essential = functions.some(([, { Properties }]) => Properties?.Environment?.Variables?.METRICS === "essential");
  const rules = ofType("AWS::Backup::BackupPlan").flatMap(({ BackupPlan }) => BackupPlan.BackupPlanRule);
  const days = (kept: Properties[]) => kept.reduce((sum, { Lifecycle }) => sum + Lifecycle.DeleteAfterDays, 0);
  const inProfile = (name: string) => !essential || ESSENTIAL_METRICS.includes(name);
  return {
    secrets: ofType("AWS::SecretsManager::Secret").length,
    keys: ofType("AWS::KMS::Key").length,
    rotatedKeys: ofType("AWS::KMS::Key").filter(({ EnableKeyRotation }) => EnableKeyRotation).length,
    logDays: Math.max(...ofType("AWS::Logs::LogGroup").map(({ RetentionInDays }) => RetentionInDays)),
    backupDays: days(rules),
    copyDays: days(rules.flatMap(({ CopyActions = [] }) => CopyActions)),
    dashboards: ofType("AWS::CloudWatch::Dashboard").length,
    alarmMetrics: ofType("AWS::CloudWatch::Alarm").reduce((sum, alarm) => sum + metricsOf(alarm), 0),
    compositeAlarms: ofType("AWS::CloudWatch::CompositeAlarm").length,
    steadyMetrics: writtenMetrics((name) => STEADY.includes(name) && inProfile(name)),
    occasionalMetrics: new Set(filters).size + writtenMetrics((name) => !STEADY.includes(name) && inProfile(name)),
    firewallRules: ofType("AWS::WAFv2::WebACL").reduce((sum, { Rules }) => sum + Rules.length, 0),
    chatMegabytes: megabytes("ApiChat"),
    createThreadMegabytes: megabytes("ApiCreateThread"),
    sweepMegabytes: megabytes("SweepSweepThreads"),
    deliveryMegabytes: megabytes("DeliveryDeliverEvents"),
    feedbackMegabytes: megabytes("ApiFeedback"),
    concurrentChats: reserved("ApiChat") + reserved("ApiOpenai") || undefined,
    tracing: ofType("AWS::ApiGateway::Stage").some(({ TracingEnabled }) => TracingEnabled),
  };
}

/** An alarm is billed by its number of metrics; an alarm on a query, as one metric. */
function metricsOf({ Metrics }: Properties): number {
  return Math.max(1, (Metrics ?? []).filter(({ MetricStat }: Properties) => MetricStat).length);
}

/** Counts the metrics that the functions write, for each combination of dimension values. */
function writtenMetrics(counts: (name: string) => boolean): number {
  return Object.entries(METRICS)
    .filter(([name]) => counts(name))
    .reduce((sum, [, { dimensions }]) => {
      const combinations = dimensions.reduce((product, dimension) => product * (VALUES[dimension] ?? 1), 1);
      return sum + combinations;
    }, 0);
}
