import cdkJson from "../../../cdk.json" with { type: "json" };
import { bundleHook } from "../../../infra/bundling/bundle-hook.ts";
import { ServiceApp } from "../../../infra/service-app.ts";

/**
 * Run as a program: synthesizes the CDK app once for each context, as `cdk synth -c …` does, in one process, since most
 * of a run is loading the CDK. The functions are those that were bundled for this test run.
 *
 * Arguments: a folder, and JSON, name → context. Each assembly is written to a folder of its name.
 */
await bundleHook();
const [folder = "", contexts = "{}"] = process.argv.slice(2);
for (const [name, context] of Object.entries<Record<string, string>>(JSON.parse(contexts))) {
  const app = new ServiceApp({ context: { ...cdkJson.context, "aws:cdk:enable-asset-metadata": true, ...context }, outdir: `${folder}/${name}` });
  app.addStack();
  app.synth();
}
