/** A resource of a template: only what is counted. */
interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties depend on the resource type
  Properties?: Record<string, any>;
}

/** What is billed of a template whether or not anybody uses the service. */
export interface Inventory {
  /** The metrics that alarms watch: an alarm is billed by them. */
  alarmMetrics: number;
  compositeAlarms: number;
  dashboards: number;
  firewalls: number;
  firewallRules: number;
  keys: number;
  secrets: number;
  /** The scheduled runs of the sweep and of the delivery of events in a month, of all parts together. */
  sweeps: number;
  deliveries: number;
}

const HOURS = 730;

/**
 * Counts what a stage is billed for.
 *
 * @param resources of both stacks
 */
export function inventoryOf(resources: Record<string, Resource>): Inventory {
  const of = (type: string, beginning = "") =>
    Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) =>
      Type === type && id.startsWith(beginning) ? [Properties] : [],
    );
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const runs = (beginning: string) =>
    sum(
      of("AWS::Events::Rule", beginning).map(
        ({ ScheduleExpression, Targets }) => runsOf(ScheduleExpression) * Targets.length,
      ),
    );
  return {
    alarmMetrics: sum(of("AWS::CloudWatch::Alarm").map(metricsOf)),
    compositeAlarms: of("AWS::CloudWatch::CompositeAlarm").length,
    dashboards: of("AWS::CloudWatch::Dashboard").length,
    firewalls: of("AWS::WAFv2::WebACL").length,
    firewallRules: sum(of("AWS::WAFv2::WebACL").map(({ Rules }) => Rules.length)),
    keys: of("AWS::KMS::Key").length,
    secrets: of("AWS::SecretsManager::Secret").length,
    sweeps: runs("Sweep"),
    deliveries: runs("Delivery"),
  };
}

/** An alarm watches one metric, or those of its expressions. */
function metricsOf({ Metrics = [] }: NonNullable<Resource["Properties"]>): number {
  return Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat).length || 1;
}

/** @throws Error for a schedule that is not `cron(0/<minutes> * * * ? *)` */
function runsOf(schedule: string): number {
  const minutes = Number(/^cron\(0\/(\d+) \* \* \* \? \*\)$/.exec(schedule)?.[1]);
  if (!(minutes > 0)) {
    throw new Error(`How often is ${schedule} in a month?`);
  }
  return (60 / minutes) * HOURS;
}
