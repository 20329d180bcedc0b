import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Properties } from "../template/template.ts";
import { REGION } from "./bedrock.ts";

/**
 * Returns a cloud assembly like this one, but with the functions' variables for a model on Amazon Bedrock, as
 * `test/infra/bedrock.test.ts` finds them in a stage with `modelProvider: bedrock`.
 */
export function onBedrock(assembly: string): string {
  const folder = mkdtempSync(join(tmpdir(), "health-assistant-bedrock-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(assembly)) {
    if (name.endsWith(".template.json")) {
      writeFileSync(join(folder, name), withoutKey(readFileSync(join(assembly, name), "utf8")));
    } else {
      symlinkSync(join(assembly, name), join(folder, name));
    }
  }
  return folder;
}

function withoutKey(template: string): string {
  const { Resources, ...others } = JSON.parse(template);
  for (const { Type, Properties } of Object.values<{ Type: string; Properties: Properties }>(Resources)) {
    const variables: Record<string, unknown> =
      (Type === "AWS::Lambda::Function" && Properties.Environment?.Variables) || {};
    if ("OPENAI_MODEL" in variables) {
      delete variables.MODEL_KEY_SECRET;
      Object.assign(variables, {
        BEDROCK_ENDPOINT: "runtime",
        BEDROCK_REGION: REGION,
        OPENAI_MODEL: "us.openai.gpt-6-luna",
      });
    }
  }
  return JSON.stringify({ Resources, ...others });
}
