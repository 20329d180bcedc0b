import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import { Grant, type IRole } from "aws-cdk-lib/aws-iam";
import { acknowledge } from "./acknowledge.ts";
import { type BedrockModel, partsOf } from "./bedrock-models.ts";
import type { ServiceFunction } from "./service-function.ts";

/**
 * Lets a function ask a model, and nothing else of Bedrock: the model itself, or the profile and, through it, the model
 * in the regions of its area ("Prerequisites for inference profiles", "Actions, resources, and condition keys for
 * Amazon Bedrock"). OpenAI's protocol also needs the account's default project (model card "GPT-6 Luna").
 */
export function allowInference(fn: ServiceFunction, { id, endpoint, region }: BedrockModel): void {
  const stack = Stack.of(fn);
  const arn = (service: string, resource: string, resourceName: string, place: { region: string; account: string }) =>
    stack.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME, ...place });
  const { area, foundationModel = "" } = partsOf(id);
  const grant = (actions: string[], resource: string, conditions?: Record<string, Record<string, string>>) =>
    Grant.addToPrincipal({ grantee: fn, actions, resourceArns: [resource], ...(conditions && { conditions }) });
  const own = { region, account: Aws.ACCOUNT_ID };
  const accept = (wildcard: string, reason: string) =>
    acknowledge(fn.role as IRole, { [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${wildcard}]`]: reason });
  if (endpoint === "mantle") {
    grant(["bedrock-mantle:CreateInference"], arn("bedrock-mantle", "project", "*", own));
    const place = region === Aws.REGION ? "<AWS::Region>" : region;
    accept(
      `bedrock-mantle:${place}:<AWS::AccountId>:project/*`,
      "AWS names the project that requests without one belong to. The statement allows inference only.",
    );
  } else {
    const invoke = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"];
    grant(["bedrock:InvokeModel"], arn("bedrock", "project", "default", own));
    if (area === undefined) {
      grant(invoke, arn("bedrock", "foundation-model", foundationModel, { region, account: "" }));
      return;
    }
    const profile = arn("bedrock", "inference-profile", id, own);
    grant(invoke, profile);
    grant(invoke, arn("bedrock", "foundation-model", foundationModel, { region: "*", account: "" }), {
      StringEquals: { "bedrock:InferenceProfileArn": profile },
    });
    accept(
      `bedrock:*::foundation-model/${foundationModel}`,
      "AWS decides in which region of the profile's area the model answers. The condition allows it only through the profile.",
    );
  }
}
