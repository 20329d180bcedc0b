import { bundleFunctions } from "./bundle.ts";
import { ServiceApp } from "./service-app.ts";
import { SettingError } from "./settings.ts";

const app = orExit(() => new ServiceApp());
await bundleFunctions();
app.addStack();

/** A wrong setting is one sentence, not a stack trace. */
function orExit<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SettingError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
