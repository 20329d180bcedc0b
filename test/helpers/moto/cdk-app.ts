/**
 * Run as the CDK's app: writes the cloud assembly of a stage whose templates are the files that `REHEARSED_DATA` and
 * `REHEARSED_SERVICE` name, without the CDK's library, which would take longer than the rest of a rehearsed deployment.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stackNames } from "../../../tools/aws/stack.ts";

const { CDK_OUTDIR = "", CDK_CONTEXT_JSON = "{}", REHEARSED_DATA = "", REHEARSED_SERVICE = "" } = process.env;
const { creating = "false", stage = "dev" } = JSON.parse(CDK_CONTEXT_JSON) as Record<string, string>;
const { data, service } = stackNames(stage);

/** Adds a template, which was written for dev, to the assembly, and describes its stack. */
function stackOf(name: string, template: string, properties: object, dependencies: string[] = []) {
  const templateFile = `${name}.template.json`;
  const text = readFileSync(template, "utf8").replaceAll(stackNames("dev").data, data);
  writeFileSync(join(CDK_OUTDIR, templateFile), text);
  return {
    type: "aws:cloudformation:stack",
    displayName: name,
    environment: "aws://123456789012/us-east-1",
    properties: { templateFile, ...properties },
    dependencies,
  };
}

const artifacts = {
  [data]: stackOf(data, REHEARSED_DATA, { terminationProtection: creating !== "true" }),
  [service]: stackOf(service, REHEARSED_SERVICE, {}, [data]),
};
writeFileSync(join(CDK_OUTDIR, "manifest.json"), JSON.stringify({ version: "36.0.0", artifacts }));
