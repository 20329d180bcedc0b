import cdkJson from "../../../cdk.json" with { type: "json" };
import { bundle, bundleHook } from "../../../infra/bundling/bundle.ts";
import { copySafetyData } from "../../../infra/bundling/safety-data.ts";
import { ServiceApp } from "../../../infra/service-app.ts";

/**
 * Run as a program: synthesizes the CDK app once per context, as `cdk synth -c …` does, but in a single process,
 * because loading the CDK takes most of the time.
 *
 * Arguments: a directory, and JSON that maps names to contexts. Each assembly is written to the subdirectory of its
 * name.
 */
copySafetyData(await bundle(), "");
await bundleHook();
const [folder = "", contexts = "{}"] = process.argv.slice(2);
for (const [name, context] of Object.entries<Record<string, string>>(JSON.parse(contexts))) {
  const app = new ServiceApp({
    context: { ...cdkJson.context, "aws:cdk:enable-asset-metadata": true, ...context },
    outdir: `${folder}/${name}`,
  });
  app.addStacks();
  app.synth();
}
