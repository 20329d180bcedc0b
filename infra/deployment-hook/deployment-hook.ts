import { Duration, Stack } from "aws-cdk-lib";
import { Grant, type IRole, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { arnOf } from "../arn-of.ts";
import { HOOK_BUNDLE } from "../bundling/bundle.ts";
import type { ServiceFunction } from "../service-function.ts";
import { allowKeyUse } from "../service-key.ts";
import { ServiceLogGroup } from "../service-log-group.ts";
import type { Settings } from "../settings.ts";
import { HOOK_SECONDS } from "../sweep-times.ts";

interface DeploymentHookProps {
  /** The functions whose new versions it checks. The hook may invoke any of their versions. */
  functions: ServiceFunction[];
  applicationName: string;
  apiKeys: ISecret;
  key: IKey;
  settings: Settings;
}

/**
 * The function that CodeDeploy calls before a new version receives any traffic. It runs the live check's rules for that
 * function against the new version (`handler.ts`), because with a clinic's traffic, a tenth of a few requests would
 * show nothing.
 */
export class DeploymentHook extends LambdaFunction {
  constructor(
    scope: Construct,
    id: string,
    { functions, applicationName, apiKeys, key, settings }: DeploymentHookProps,
  ) {
    super(scope, id, {
      code: Code.fromAsset(HOOK_BUNDLE),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(HOOK_SECONDS), // for the sweep, which may have to end first
      memorySize: 512,
      environment: { API_KEYS_SECRET: apiKeys.secretArn },
      loggingFormat: LoggingFormat.JSON,
      logGroup: new ServiceLogGroup(scope, `${id}Logs`, { key, settings }),
      role: new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") }),
    });
    this.logGroup.grantWrite(this);
    for (const { serviceName, functionName, currentVersion } of functions) {
      const suffix = serviceName.toUpperCase().replaceAll("-", "_");
      this.addEnvironment(`FUNCTION_${suffix}`, functionName);
      this.addEnvironment(`VERSION_${suffix}`, currentVersion.version);
    }
    this.allow(["lambda:InvokeFunction"], ...functions.map(({ functionArn }) => `${functionArn}:*`));
    this.allow(
      ["codedeploy:GetDeployment", "codedeploy:PutLifecycleEventHookExecutionStatus"],
      ...functions.map(({ serviceName }) =>
        arnOf(this, "codedeploy", "deploymentgroup", `${applicationName}/${serviceName}`),
      ),
    );
    this.allow(["secretsmanager:GetSecretValue"], apiKeys.secretArn);
    allowKeyUse(this, key, ["kms:Decrypt"], "secretsmanager", { SecretARN: apiKeys.secretArn });
    this.acknowledgeFindings(functions);
  }

  private allow(actions: string[], ...resourceArns: string[]): void {
    Grant.addToPrincipal({ grantee: this, actions, resourceArns });
  }

  private acknowledgeFindings(functions: ServiceFunction[]): void {
    for (const fn of functions) {
      const id = Stack.of(this).getLogicalId(fn.node.defaultChild as CfnFunction);
      acknowledge(this.role as IRole, {
        [`AwsSolutions-IAM5[Resource::<${id}.Arn>:*]`]:
          "The wildcard covers the versions of this one function. A policy that named the latest version would " +
          "change just before the hook is called, and IAM changes take seconds to take effect everywhere.",
      });
    }
    acknowledge(this.role as IRole, {
      "HIPAA.Security-IAMNoInlinePolicy":
        "The policy names these functions and their deployments, so no other role could use it.",
    });
    const bySomebody =
      "CodeDeploy calls it a few times per deployment, and rolls the new version back if it fails or does not " +
      "respond. ";
    acknowledge(this, {
      "HIPAA.Security-LambdaInsideVPC": `${bySomebody}It only reaches public AWS endpoints, over TLS, and nobody else may invoke it.`,
      "HIPAA.Security-LambdaConcurrency": `${bySomebody}Reserved concurrency would be taken from the functions that serve callers.`,
      "HIPAA.Security-LambdaDLQ": `${bySomebody}A failed event is of no use once its deployment is over.`,
    });
  }
}
