import { App, Tags } from "aws-cdk-lib";
import { bundleFunctions } from "./bundle.ts";
import { ServiceStack } from "./service-stack.ts";
import { readSettings } from "./settings.ts";

const app = new App();
const settings = await orExit(() => readSettings(app.node));
await orExit(() => bundleFunctions(settings.safetyTexts));
new ServiceStack(app, `health-assistant-${settings.stage}`, {
  description: "Conversational Health Assistant Service",
  settings,
});
Tags.of(app).add("service", "health-assistant");
Tags.of(app).add("stage", settings.stage);

/** A wrong setting is one sentence, not a stack trace. */
async function orExit<T>(read: () => T): Promise<Awaited<T>> {
  try {
    return await read();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
