import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { EndpointName } from "../shared/openapi/registry.ts";
import { Api } from "./api.ts";
import { Backups } from "./backups.ts";
import { Encryption } from "./encryption.ts";
import { Firewall } from "./firewall.ts";
import { GradualDeployment } from "./gradual-deployment.ts";
import { Monitoring } from "./monitoring/monitoring.ts";
import { Secrets } from "./secrets.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";
import { SweepSchedule } from "./sweep-schedule.ts";
import { Tables } from "./tables.ts";

/** The whole service: composes the constructs beside this file. */
export class ServiceStack extends Stack {
  readonly encryption: Encryption;
  readonly tables: Tables;
  readonly secrets: Secrets;
  readonly api: Api;
  readonly firewall: Firewall;
  readonly sweep: SweepSchedule;
  readonly backups: Backups;
  /** Every function by its name, with its alias and its alarm. */
  readonly functions: Record<EndpointName | "sweep-threads", ServiceFunction>;

  constructor(scope: Construct, id: string, props: StackProps & { settings: Settings }) {
    super(scope, id, { ...props, terminationProtection: props.settings.deletionProtection });
    const { settings } = props;
    this.encryption = new Encryption(this, "Encryption", settings);
    const { encryption } = this;
    this.tables = new Tables(this, "Tables", encryption, settings);
    const { tables } = this;
    this.backups = new Backups(this, "Backups", tables.patients, encryption, settings);
    this.secrets = new Secrets(this, "Secrets", encryption, settings);
    this.api = new Api(this, "Api", { tables, secrets: this.secrets, encryption, settings });
    this.firewall = new Firewall(this, "Firewall", { stage: this.api.restApi.deploymentStage, encryption, settings });
    this.sweep = new SweepSchedule(this, "Sweep", { tables, encryption, settings });
    this.functions = { ...this.api.functions, "sweep-threads": this.sweep.function };
    if (settings.shifting) {
      new GradualDeployment(this, "Deployment", {
        endpoints: Object.values(this.api.functions),
        sweep: this.sweep.function,
        shifting: settings.shifting,
      });
    }
    const { api, functions, sweep, backups } = this;
    new Monitoring(this, "Monitoring", { api, functions, tables, sweep, backups, encryption, settings });
    this.addOutputs();
  }

  private addOutputs(): void {
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
    if (fallbackKey) {
      new CfnOutput(this, "FallbackKeySecret", {
        value: fallbackKey.secretName,
        description: "Put the fallback model provider's key here",
      });
    }
  }
}
