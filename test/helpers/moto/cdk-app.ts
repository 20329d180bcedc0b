/**
 * Run as the CDK's app: writes the cloud assembly of a stack for stage dev whose template is the file that
 * `REHEARSED_TEMPLATE` names, without the CDK's library, which would take longer than the rest of a rehearsed
 * deployment.
 */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stackName } from "../../../tools/aws/stack.ts";

const { CDK_OUTDIR = "", CDK_CONTEXT_JSON = "{}", REHEARSED_TEMPLATE = "" } = process.env;
const { creating = "false", stage = "dev" } = JSON.parse(CDK_CONTEXT_JSON) as Record<string, string>;
const name = stackName(stage);
const templateFile = `${name}.template.json`;
const manifest = {
  version: "36.0.0",
  artifacts: {
    [name]: {
      type: "aws:cloudformation:stack",
      displayName: name,
      environment: "aws://123456789012/us-east-1",
      properties: { templateFile, terminationProtection: creating !== "true" },
    },
  },
};
copyFileSync(REHEARSED_TEMPLATE, join(CDK_OUTDIR, templateFile));
writeFileSync(join(CDK_OUTDIR, "manifest.json"), JSON.stringify(manifest));
