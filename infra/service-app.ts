import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { App, type AppProps, Tags } from "aws-cdk-lib";
import { BUNDLES } from "./bundling/bundle.ts";
import { addChecks } from "./checks.ts";
import { DataStack } from "./data-stack.ts";
import { ServiceStack } from "./service-stack.ts";
import { readSettings, type Settings } from "./settings.ts";

/**
 * The context value that skips the template checks, for `npm start`. They take as long as the rest of the synthesis and
 * do not change the template. Tests, the pipeline and `npm run synth` run them.
 */
const UNCHECKED = "health-assistant:unchecked";

/** The CDK app: the data and the service of the stage that the context names, and its checks. */
export class ServiceApp extends App {
  readonly settings: Settings;

  /**
   * @param stages stages to use instead of those in this repository
   * @throws SettingError naming the invalid setting
   */
  constructor(props?: AppProps, stages?: Record<string, unknown>) {
    super(props);
    this.settings = readSettings(this.node.getAllContext(), stages);
    Tags.of(this).add("service", "health-assistant");
    Tags.of(this).add("stage", this.settings.stage);
    if (!this.node.tryGetContext(UNCHECKED)) {
      addChecks(this);
    }
  }

  /** Adds the stacks. The functions must have been bundled before. */
  addStacks(): { data: DataStack; service: ServiceStack } {
    // The local service serves the playground whether or not the template has an endpoint for it.
    copyFileSync(join(BUNDLES, "playground", "page.json"), join(this.outdir, "playground.json"));
    const { settings } = this;
    const serviceName = `health-assistant-${settings.stage}`;
    const data = new DataStack(this, `${serviceName}-data`, {
      description: "Conversational Health Assistant Service: what must survive",
      settings,
      serviceName,
    });
    const service = new ServiceStack(this, serviceName, {
      description: "Conversational Health Assistant Service: what can be created again",
      settings,
      data,
    });
    return { data, service };
  }
}
