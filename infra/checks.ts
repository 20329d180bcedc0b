import { type App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, HIPAASecurityChecks } from "cdk-nag";

/**
 * Fails the synthesis on every finding that is not acknowledged at its construct, with a reason: those of cdk-nag's packs
 * "AWS Solutions" and "HIPAA Security". CDK's own validation of templates fails it as well, by the flag
 * `validateAgainstDefaultRules` in `cdk.json`.
 */
export function addChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new HIPAASecurityChecks(app));
}
