import { bundleFunctions } from "./bundling/bundle.ts";
import { ServiceApp } from "./service-app.ts";
import { SettingError } from "./settings.ts";

const app = await orExit(() => new ServiceApp());
await orExit(() => bundleFunctions(app.settings.safetyTexts));
app.addStack();

/** A wrong setting is one sentence, not a stack trace. */
async function orExit<T>(make: () => T): Promise<Awaited<T>> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof SettingError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
