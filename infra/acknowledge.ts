import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Accepts findings of cdk-nag on a construct.
 *
 * @param reasons by the rule, such as `AwsSolutions-APIG2`, with the finding in brackets if a rule has several
 */
export function acknowledge(construct: IConstruct, reasons: Record<string, string>): void {
  for (const [rule, reason] of Object.entries(reasons)) {
    const [pack] = rule.split("-");
    Validations.of(construct).acknowledge({ id: `${pack}::${rule}`, reason });
  }
}
