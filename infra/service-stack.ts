import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import type { Construct } from "constructs";
import { functionOf } from "../shared/contract/endpoint.ts";
import { endpoints, type FunctionName } from "../shared/openapi/registry.ts";
import { acknowledge } from "./acknowledge.ts";
import { Api } from "./api.ts";
import type { DataStack } from "./data-stack.ts";
import { EventDelivery } from "./event-delivery.ts";
import { Firewall } from "./firewall.ts";
import { GradualDeployment } from "./gradual-deployment.ts";
import { Monitoring } from "./monitoring/monitoring.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";
import { SweepSchedule } from "./sweep-schedule.ts";

/** Everything that can be created again: functions, API, firewall, schedules, alarms and the deployment's checks. */
export class ServiceStack extends Stack {
  readonly api: Api;
  readonly firewall: Firewall | undefined;
  readonly sweep: SweepSchedule;
  readonly delivery: EventDelivery;
  /** All functions by name, each with its alias and its alarm. */
  readonly functions: Record<FunctionName | "sweep-threads" | "deliver-events", ServiceFunction>;

  constructor(
    scope: Construct,
    id: string,
    { settings, data: dataStack, ...props }: StackProps & { settings: Settings; data: DataStack },
  ) {
    super(scope, id, props);
    const data = dataStack.referredToBy(this);
    this.addStackDependency(dataStack, "outputs must exist before they are read");
    this.api = new Api(this, "Api", { data, settings });
    const { deploymentStage: stage } = this.api.restApi;
    this.firewall = settings.firewall ? new Firewall(this, "Firewall", { stage, key: data.key, settings }) : undefined;
    if (!settings.firewall) {
      acknowledgeNoFirewall(stage);
    }
    this.sweep = new SweepSchedule(this, "Sweep", { data, settings });
    this.delivery = new EventDelivery(this, "Delivery", { data, settings });
    this.functions = {
      ...this.api.functions,
      "sweep-threads": this.sweep.function,
      "deliver-events": this.delivery.function,
    };
    const { api, functions, sweep, delivery } = this;
    const monitoring = new Monitoring(this, "Monitoring", { api, functions, data, sweep, delivery, settings });
    if (settings.canary) {
      // Public pages read no data, so if one fails, its first request in staging shows it.
      const checked = Map.groupBy(
        endpoints.filter((endpoint) => !endpoint.public),
        functionOf,
      );
      const functionsOf = (chats: boolean) =>
        [...checked].flatMap(([name, served]) =>
          served.some(({ model = false }) => model) === chats ? [api.functions[name as FunctionName]] : [],
        );
      new GradualDeployment(this, "Deployment", {
        atOnce: [...functionsOf(false), sweep.function, delivery.function],
        gradual: functionsOf(true),
        canary: settings.canary,
        rollBackOn: ({ failing }) => failing ?? monitoring.apiErrors,
        apiKeys: data.secrets.apiKeys,
        key: data.key,
        settings,
      });
    }
    this.addMetadata("Settings", published(settings)); // so that a diff shows every setting that changes
    this.addOutputs(settings);
  }

  private addOutputs({ commit }: Settings): void {
    new CfnOutput(this, "BaseUrl", {
      value: this.api.baseUrl,
      description: "{base_url} of the interface specification",
    });
    if (commit) {
      new CfnOutput(this, "Commit", { value: commit, description: "The deployed commit" });
    }
  }
}

/** The stage's settings, without those that apply to one deployment only or are derived from others. */
function published(settings: Settings): Partial<Settings> {
  const { creating: _, commit: __, overrides: ___, domain: ____, canary: _____, shifting: ______, ...rest } = settings;
  return rest;
}

function acknowledgeNoFirewall(stage: Stage): void {
  acknowledge(stage, {
    "AwsSolutions-APIG3":
      "The profile small has no firewall, which at a small clinic's traffic would cost more than everything " +
      "else. Every request except those for the description needs a key, bodies are parsed against schemas, and " +
      "the stage's throttle, the limit on concurrent chats and the alarm on tokens bound what one client can " +
      "cost.",
  });
}
