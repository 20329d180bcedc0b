import { bundleFunctions } from "./bundling/bundle.ts";
import { bundleHook } from "./bundling/bundle-hook.ts";
import { ServiceApp } from "./service-app.ts";
import { SettingError } from "./settings.ts";

const app = await orExit(() => new ServiceApp());
const { stage, overrides } = app.settings;
const given = Object.entries(overrides).map(([name, value]) => `${name}=${value}`);
process.stderr.write(
  `Settings: infra/stages/${stage}.json${given.length > 0 ? `, overridden by ${given.join(", ")}` : ""}\n`,
);
await orExit(() => bundleFunctions(app.settings.safetyTexts));
if (app.settings.shifting) {
  await bundleHook();
}
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
