import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { Api } from "./api.ts";
import { Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import { SweepSchedule } from "./sweep-schedule.ts";
import { Tables } from "./tables.ts";

/** The whole service: composes the constructs beside this file. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { settings: Settings }) {
    super(scope, id, props);
    const tables = new Tables(this, "Tables");
    const secrets = new Secrets(this, "Secrets", props.settings);
    const api = new Api(this, "Api", { tables, secrets, settings: props.settings });
    new SweepSchedule(this, "Sweep", { tables });

    new CfnOutput(this, "BaseUrl", {
      value: api.restApi.urlForPath().replace(/\/$/, ""),
      description: "{base_url} of the interface specification",
    });
    new CfnOutput(this, "ApiKeysSecret", {
      value: secrets.apiKeys.secretName,
      description: "JSON object: client name to API key",
    });
    new CfnOutput(this, "ModelKeySecret", {
      value: secrets.modelKey.secretName,
      description: "Put the model provider's key here",
    });
    if (secrets.fallbackKey) {
      new CfnOutput(this, "FallbackKeySecret", {
        value: secrets.fallbackKey.secretName,
        description: "Put the fallback model provider's key here",
      });
    }
  }
}
