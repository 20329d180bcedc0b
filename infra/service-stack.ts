import { CfnOutput, Stack, type StackProps, Validations } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import type { Construct } from "constructs";
import { functionOf } from "../shared/contract/endpoint.ts";
import { endpoints, type FunctionName } from "../shared/openapi/registry.ts";
import { Api } from "./api.ts";
import { AuditArchive } from "./audit-archive.ts";
import { Backups } from "./backups.ts";
import { Encryption } from "./encryption.ts";
import { EventDelivery } from "./event-delivery.ts";
import { Firewall } from "./firewall.ts";
import { GradualDeployment } from "./gradual-deployment.ts";
import { Monitoring } from "./monitoring/monitoring.ts";
import { Secrets } from "./secrets.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";
import { SweepSchedule } from "./sweep-schedule.ts";
import { Tables } from "./tables.ts";

/** The whole service: composes the constructs in this directory. */
export class ServiceStack extends Stack {
  readonly encryption: Encryption;
  readonly tables: Tables;
  readonly secrets: Secrets;
  readonly api: Api;
  readonly firewall: Firewall | undefined;
  readonly sweep: SweepSchedule;
  readonly delivery: EventDelivery;
  readonly backups: Backups;
  /** All functions by name, each with its alias and its alarm. */
  readonly functions: Record<FunctionName | "sweep-threads" | "deliver-events", ServiceFunction>;

  constructor(scope: Construct, id: string, props: StackProps & { settings: Settings }) {
    super(scope, id, { ...props, terminationProtection: props.settings.deletionProtection });
    const { settings } = props;
    this.encryption = new Encryption(this, "Encryption", settings);
    const { encryption } = this;
    this.tables = new Tables(this, "Tables", encryption, settings);
    const { tables } = this;
    this.backups = new Backups(this, "Backups", tables.patients, encryption, settings);
    // Nothing can delete what its trail has written, so a creation that fails could not be undone with it.
    if (settings.auditArchiveDays > 0 && !settings.creating) {
      new AuditArchive(this, "Audit", tables.patients, settings);
    }
    this.secrets = new Secrets(this, "Secrets", encryption, settings);
    this.api = new Api(this, "Api", { tables, secrets: this.secrets, encryption, settings });
    const { deploymentStage: stage } = this.api.restApi;
    this.firewall = settings.firewall ? new Firewall(this, "Firewall", { stage, encryption, settings }) : undefined;
    if (!settings.firewall) {
      acknowledgeNoFirewall(stage);
    }
    this.sweep = new SweepSchedule(this, "Sweep", { tables, encryption, settings });
    this.delivery = new EventDelivery(this, "Delivery", { tables, encryption, settings });
    this.functions = {
      ...this.api.functions,
      "sweep-threads": this.sweep.function,
      "deliver-events": this.delivery.function,
    };
    const { api, functions, sweep, backups } = this;
    const monitoring = new Monitoring(this, "Monitoring", {
      ...{ api, functions, tables, sweep, backups, encryption, settings },
    });
    if (settings.shifting) {
      new GradualDeployment(this, "Deployment", {
        // Public pages read no data, so if one fails, its first request in staging shows it.
        endpoints: [...new Set(endpoints.filter((endpoint) => !endpoint.public).map(functionOf))].map(
          (name) => api.functions[name as FunctionName],
        ),
        sweep: sweep.function,
        shifting: settings.shifting,
        rollBackOn: ({ failing }) => failing ?? monitoring.apiErrors,
        apiKeys: this.secrets.apiKeys,
        encryption,
        settings,
      });
    }
    this.addMetadata("Settings", published(settings)); // so that a diff shows every setting that changes
    this.addOutputs(settings);
  }

  private addOutputs({ commit }: Settings): void {
    const { apiKeys, modelKey, fallbackKey } = this.secrets;
    new CfnOutput(this, "BaseUrl", {
      value: this.api.baseUrl,
      description: "{base_url} of the interface specification",
    });
    new CfnOutput(this, "ApiKeysSecret", {
      value: apiKeys.secretName,
      description: "JSON object: client name to API key",
    });
    new CfnOutput(this, "ModelKeySecret", {
      value: modelKey.secretName,
      description: "Put the model provider's key here",
    });
    if (commit) {
      new CfnOutput(this, "Commit", { value: commit, description: "The deployed commit" });
    }
    if (fallbackKey) {
      new CfnOutput(this, "FallbackKeySecret", {
        value: fallbackKey.secretName,
        description: "Put the fallback model provider's key here",
      });
    }
  }
}

/** The stage's settings, without those that apply to one deployment only or are derived from others. */
function published(settings: Settings): Partial<Settings> {
  const { creating: _, commit: __, overrides: ___, domain: ____, shifting: _____, ...rest } = settings;
  return rest;
}

function acknowledgeNoFirewall(stage: Stage): void {
  Validations.of(stage).acknowledge({
    id: "AwsSolutions::AwsSolutions-APIG3",
    reason:
      "The profile small has no firewall, which at a small clinic's traffic would cost more than everything " +
      "else. Every request except those for the description needs a key, bodies are parsed against schemas, and " +
      "the stage's throttle, the limit on concurrent chats and the alarm on tokens bound what one client can " +
      "cost.",
  });
}
