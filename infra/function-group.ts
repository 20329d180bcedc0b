import { Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { FAILURE_PERIOD, FailureAlarm } from "./failure-alarm.ts";
import { ServiceLogGroup } from "./service-log-group.ts";
import type { Settings } from "./settings.ts";

interface FunctionGroupProps {
  key: IKey;
  settings: Settings;
  /** Whether at least 5% of the requests must fail as well; for functions with traffic. */
  asRate?: boolean;
}

/** The number of failures in five minutes that sets off the alarm of a group. */
const TOO_MANY = 3;

/**
 * Functions with one log and one alarm on their failures. For what is not about chats, an operator does the same
 * whichever of them fails, and the log says which one it is.
 */
export class FunctionGroup extends Construct {
  readonly logGroup: ServiceLogGroup;
  /** Undefined in a stage without such alarms. */
  readonly failing: FailureAlarm | undefined;

  /** @param name such as `records`; the alarm is named after it */
  constructor(scope: Construct, id: string, name: string, { key, settings, asRate = false }: FunctionGroupProps) {
    super(scope, id);
    this.logGroup = new ServiceLogGroup(this, "Logs", { key, settings });
    if (settings.alarms && settings.monitoring === "full") {
      const { logGroup } = this;
      const invocations = asRate ? this.countRequests(name) : undefined;
      this.failing = new FailureAlarm(this, "Failing", { name, logGroup, tooMany: TOO_MANY, invocations });
    }
  }

  /** Counts in the log: Lambda's own metric is one for each function, and an alarm is billed by its metrics. */
  private countRequests(name: string) {
    const filter = new MetricFilter(this, "Requests", {
      logGroup: this.logGroup,
      filterPattern: FilterPattern.stringValue("$.message.event", "=", "request"),
      metricNamespace: Stack.of(this).stackName,
      metricName: `${name}-requests`,
    });
    return filter.metric({ statistic: "Sum", period: FAILURE_PERIOD, label: `${name}: requests` });
  }
}
