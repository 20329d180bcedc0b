import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import cdkJson from "../../../cdk.json" with { type: "json" };
import { BUNDLES, bundleHook } from "../../../infra/bundling/bundle.ts";
import { pascalCase } from "../../../infra/pascal-case.ts";
import { ServiceApp } from "../../../infra/service-app.ts";

/**
 * Run as a program: synthesizes the CDK app once per context, as `cdk synth -c …` does, but in a single process,
 * because loading the CDK takes most of the time.
 *
 * Arguments: a directory, and JSON that maps names to contexts. Each assembly is written to the subdirectory of its
 * name.
 */
// They are there when the stages are synthesized again, to be checked.
if (!existsSync(BUNDLES)) {
  copyBundles(process.env.TEST_CLOUD_ASSEMBLY ?? "");
  await bundleHook();
}
const [folder = "", contexts = "{}"] = process.argv.slice(2);
for (const [name, context] of Object.entries<Record<string, string>>(JSON.parse(contexts))) {
  const app = new ServiceApp({
    context: { ...cdkJson.context, "aws:cdk:enable-asset-metadata": true, ...context },
    outdir: `${folder}/${name}`,
    treeMetadata: false,
  });
  app.addStacks();
  app.synth();
}

/** Copies the bundles from the assembly that all tests share, which takes a second less than bundling again. */
function copyBundles(assembly: string): void {
  const { files } = JSON.parse(readFileSync(join(assembly, "health-assistant-dev.assets.json"), "utf8"));
  const assets = Object.values<{ displayName: string; source: { path: string } }>(files);
  for (const name of readdirSync("functions").map((file) => basename(file, ".ts"))) {
    const asset = assets.find(({ displayName }) => displayName.endsWith(`/${pascalCase(name)}/Code`));
    if (asset) {
      cpSync(join(assembly, asset.source.path), join(BUNDLES, name), { recursive: true });
    }
  }
  cpSync(join(assembly, "playground.json"), join(BUNDLES, "playground", "page.json"));
}
