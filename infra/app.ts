import { App, Tags } from "aws-cdk-lib";
import { bundleFunctions } from "./bundle.ts";
import { addChecks } from "./checks.ts";
import { ServiceStack } from "./service-stack.ts";
import { readSettings } from "./settings.ts";

const app = new App();
const settings = orExit(() => readSettings(app.node));
await bundleFunctions();
new ServiceStack(app, `health-assistant-${settings.stage}`, {
  description: "Conversational Health Assistant Service",
  settings,
});
Tags.of(app).add("service", "health-assistant");
Tags.of(app).add("stage", settings.stage);
addChecks(app);

/** A wrong setting is one sentence, not a stack trace. */
function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
