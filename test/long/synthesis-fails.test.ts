import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { cachedAssembly } from "../../local/cached-assembly.ts";
import { runWithCdk, stageAssemblies } from "../helpers/template/stages.ts";

const folder = mkdtempSync(join(tmpdir(), "findings-"));
await stageAssemblies(); // for their bundles
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the synthesis fails", () => {
  let stderr: string;
  beforeAll(async () => {
    const failure = await runWithCdk("synthesize-with-findings.ts", [join(folder, "bad")]).catch((error) => error);
    expect(failure).toMatchObject({ code: 1 });
    stderr = failure.stderr;
  });

  test.each([
    ["an AWS Solutions finding: a queue that accepts plain HTTP", "AwsSolutions::AwsSolutions-SQS4"],
    ["an AWS Solutions finding: a wildcard", "AwsSolutions::AwsSolutions-IAM5[Action::dynamodb:*]"],
    ["a HIPAA Security finding: full access", "HIPAA.Security::HIPAA.Security-IAMPolicyNoStatementsWithFullAccess"],
    ["a template that CloudFormation would reject: a property out of range", "CloudFormation-Validate::F3034"],
    ["a template that CloudFormation would reject: a circular dependency", "CloudFormation-Validate::F3004"],
  ])("for %s", (_, rule) => {
    expect(stderr).toContain(`Acknowledge with '${rule}'`);
  });
});

test("the app prints its settings with every -c that overrides them, and an error in one sentence", async () => {
  const failing = cachedAssembly({ stage: "dev", chatConcurrency: "7", safetyTexts: "no-such-file.json" });
  await expect(failing).rejects.toThrow(
    /: Settings: infra\/stages\/dev\.json, overridden by chatConcurrency=7, safetyTexts=no-such-file\.json\nThe file .* does not exist.*\.\n$/,
  );
});
