import { type App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, HIPAASecurityChecks } from "cdk-nag";

/**
 * Makes the synthesis fail on any finding of cdk-nag's "AWS Solutions" and "HIPAA Security" packs that is not
 * acknowledged, with a reason, at its construct. The flag `validateAgainstDefaultRules` in `cdk.json` does the same for
 * the CDK's own template validation.
 */
export function addChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new HIPAASecurityChecks(app));
}
