import { Duration, Stack } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
  TrafficRouting,
} from "aws-cdk-lib/aws-codedeploy";
import { Grant, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Alias, CfnAlias } from "aws-cdk-lib/aws-lambda";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";
import { DeploymentHook } from "./deployment-hook/deployment-hook.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";

/** A share of the traffic for some minutes, then all of it. */
type Canary = NonNullable<Settings["canary"]>;

/**
 * The number of functions that are deployed at the same time. A change of shared code changes all of them, each
 * deployment makes several requests to Lambda's management API, and that allows 15 a second for the whole account
 * ("Lambda quotas").
 */
const PARALLEL = 5;

/**
 * The same in an account whose quota leaves no concurrency to reserve. Each deployment needs two executions, of the hook
 * and of the function that it invokes, and a new account has 10 ("Lambda quotas").
 */
const PARALLEL_IN_SMALL_ACCOUNT = 4;

interface GradualDeploymentProps {
  /** The functions whose new versions get all traffic as soon as they have passed the check. */
  atOnce: ServiceFunction[];
  /** The functions whose new versions get a share of the traffic first: those with enough of it to show something. */
  gradual: ServiceFunction[];
  /** How their new versions get their traffic. */
  canary: Canary;
  /** The alarm that rolls a function's new version back; undefined in a stage without alarms. */
  rollBackOn: (fn: ServiceFunction) => Alarm | undefined;
  apiKeys: ISecret;
  key: IKey;
  settings: Settings;
}

/**
 * Checks a function's new version before it receives any traffic, then gives it all of it, or first a share, and rolls
 * it back if the function's alarm goes off meanwhile. CloudFormation then rolls back the whole stack. Functions wait for
 * each other in chains, those with a share of the traffic last, so that no other waits for theirs.
 *
 * With the setting `atOnce`, everything is still there, so that the next deployment finds it, but nothing uses it.
 */
export class GradualDeployment extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { atOnce, gradual, canary, rollBackOn, apiKeys, key, settings }: GradualDeploymentProps,
  ) {
    super(scope, id);
    const applicationName = Stack.of(this).stackName;
    const application = new LambdaApplication(this, "Application", { applicationName });
    const functions = [...atOnce, ...gradual];
    const hook = new DeploymentHook(this, "Hook", { functions, applicationName, apiKeys, key, settings });
    const role = this.deploymentRole(functions, hook);
    const shareFirst = this.shareFirst(canary);
    const parallel = settings.reserveConcurrency ? PARALLEL : PARALLEL_IN_SMALL_ACCOUNT;
    for (const [index, fn] of functions.entries()) {
      const alarm = rollBackOn(fn);
      const group = new LambdaDeploymentGroup(this, fn.node.id, {
        application,
        deploymentGroupName: fn.serviceName, // tells the hook which function is being deployed
        role: role.withoutPolicyUpdates(), // no AWSCodeDeployRoleForLambdaLimited, which covers all functions
        alias: fn.live,
        deploymentConfig: gradual.includes(fn) ? shareFirst : LambdaDeploymentConfig.ALL_AT_ONCE,
        ...(alarm && { alarms: [alarm] }),
        autoRollback: { ...(alarm && { deploymentInAlarm: true }), failedDeployment: true, stoppedDeployment: true },
      });
      group.node.addDependency(role);
      callBefore(fn.live, hook);
      const before = functions[index - parallel];
      if (before) {
        fn.live.node.addDependency(before.live); // otherwise, CloudFormation deploys all of them at the same time
      }
      if (!settings.shifting) {
        delete (fn.live.node.defaultChild as CfnAlias).cfnOptions.updatePolicy;
      }
    }
  }

  private shareFirst({ percentage, minutes }: Canary): LambdaDeploymentConfig {
    const interval = Duration.minutes(minutes);
    return new LambdaDeploymentConfig(this, "Canary", {
      trafficRouting: TrafficRouting.timeBasedCanary({ interval, percentage }),
    });
  }

  /** Creates CodeDeploy's role, which may call the hook, move these functions' aliases, and read alarms. */
  private deploymentRole(functions: ServiceFunction[], hook: DeploymentHook): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    const grant = (actions: string[], resourceArns: string[]) =>
      Grant.addToPrincipal({ grantee: role, actions, resourceArns });
    grant(
      ["lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias"],
      functions.flatMap(({ functionArn, live }) => [functionArn, `${functionArn}:${live.aliasName}`]),
    );
    grant(["lambda:InvokeFunction"], [hook.functionArn]);
    grant(["cloudwatch:DescribeAlarms"], ["*"]); // a call that lists alarms is denied on any narrower scope
    acknowledge(role, {
      "HIPAA.Security-IAMNoInlinePolicy": "The policy names these functions, so no other role could use it.",
      "AwsSolutions-IAM5[Resource::*]":
        "It only reads the states of alarms. CloudWatch checks a call that lists alarms, and any call that returns " +
        'a composite alarm, against all alarms ("Amazon CloudWatch permissions reference").',
    });
    return role;
  }
}

/**
 * Makes CodeDeploy call the hook before it moves the alias. With the CDK's own property for this, the hook and the
 * deployment groups would depend on each other.
 */
function callBefore(live: Alias, hook: DeploymentHook): void {
  const { cfnOptions } = live.node.defaultChild as CfnAlias;
  const update = cfnOptions.updatePolicy?.codeDeployLambdaAliasUpdate;
  if (!update) {
    throw new Error("the alias has no deployment group");
  }
  cfnOptions.updatePolicy = { codeDeployLambdaAliasUpdate: { ...update, beforeAllowTrafficHook: hook.functionName } };
  live.node.addDependency(hook); // the hook must know the new version before the alias moves to it
}
