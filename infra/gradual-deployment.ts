import { Duration, Stack, Validations } from "aws-cdk-lib";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
  TrafficRouting,
} from "aws-cdk-lib/aws-codedeploy";
import { Grant, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, CfnAlias } from "aws-cdk-lib/aws-lambda";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { DeploymentHook } from "./deployment-hook.ts";
import type { Encryption } from "./encryption.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { Settings } from "./settings.ts";

/** A part of the traffic for some minutes, then the rest. */
type Shifting = NonNullable<Settings["shifting"]>;

interface GradualDeploymentProps {
  /** Those that callers wait for. */
  endpoints: ServiceFunction[];
  sweep: ServiceFunction;
  /** How an endpoint's new version gets its traffic. */
  shifting: Shifting;
  /** The alarm that takes a function's new version back; undefined in a stage without alarms. */
  rollBackOn: (fn: ServiceFunction) => Alarm | undefined;
  apiKeys: ISecret;
  encryption: Encryption;
  settings: Settings;
}

/**
 * Checks a new version of a function before it gets any traffic, gives it a part of the traffic first, and takes it back
 * when the function's alarm goes off: then CloudFormation rolls the whole stack back.
 */
export class GradualDeployment extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { endpoints, sweep, shifting, rollBackOn, apiKeys, encryption, settings }: GradualDeploymentProps,
  ) {
    super(scope, id);
    const applicationName = Stack.of(this).stackName;
    const application = new LambdaApplication(this, "Application", { applicationName });
    const functions = [...endpoints, sweep];
    const hook = new DeploymentHook(this, "Hook", { functions, applicationName, apiKeys, encryption, settings });
    const alarms = functions.flatMap((fn) => rollBackOn(fn) ?? []);
    const role = this.deploymentRole(functions, hook, alarms);
    // A tenth of a sweep's runs would be one in 100 minutes. So half of them, for the two runs that fall into 20 minutes.
    const forSweep = this.canary("SweepCanary", { percentage: 50, minutes: 20 });
    const forEndpoints = this.canary("Canary", shifting);
    for (const fn of functions) {
      const alarm = rollBackOn(fn);
      const group = new LambdaDeploymentGroup(this, fn.node.id, {
        application,
        deploymentGroupName: fn.serviceName, // by which the hook knows what it is called for
        role: role.withoutPolicyUpdates(), // or it would be given AWSCodeDeployRoleForLambdaLimited, for all functions
        alias: fn.live,
        deploymentConfig: fn === sweep ? forSweep : forEndpoints,
        ...(alarm && { alarms: [alarm] }),
        autoRollback: { ...(alarm && { deploymentInAlarm: true }), failedDeployment: true, stoppedDeployment: true },
      });
      group.node.addDependency(role);
      callBefore(fn.live, hook);
    }
  }

  private canary(id: string, { percentage, minutes }: Shifting): LambdaDeploymentConfig {
    const interval = Duration.minutes(minutes);
    return new LambdaDeploymentConfig(this, id, {
      trafficRouting: TrafficRouting.timeBasedCanary({ interval, percentage }),
    });
  }

  /** Lets CodeDeploy do with these functions what it does: call the hook, move their aliases, and look at the alarms. */
  private deploymentRole(functions: ServiceFunction[], hook: DeploymentHook, alarms: Alarm[]): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    const grant = (actions: string[], resourceArns: string[]) =>
      Grant.addToPrincipal({ grantee: role, actions, resourceArns });
    grant(
      ["lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias"],
      functions.flatMap(({ functionArn, live }) => [functionArn, `${functionArn}:${live.aliasName}`]),
    );
    grant(["lambda:InvokeFunction"], [hook.functionArn]);
    if (alarms.length > 0) {
      grant(["cloudwatch:DescribeAlarms"], [...new Set(alarms.map(({ alarmArn }) => alarmArn))]);
    }
    Validations.of(role).acknowledge({
      id: "HIPAA.Security::HIPAA.Security-IAMNoInlinePolicy",
      reason: "The policy names these functions and these alarms; it is of no use to any other role.",
    });
    return role;
  }
}

/**
 * Has CodeDeploy call the hook before the alias moves. The CDK's own property for it would make the hook wait for the
 * groups and the groups for the hook.
 */
function callBefore(live: Alias, hook: DeploymentHook): void {
  const { cfnOptions } = live.node.defaultChild as CfnAlias;
  const update = cfnOptions.updatePolicy?.codeDeployLambdaAliasUpdate;
  if (!update) {
    throw new Error("the alias has no deployment group");
  }
  cfnOptions.updatePolicy = { codeDeployLambdaAliasUpdate: { ...update, beforeAllowTrafficHook: hook.functionName } };
  live.node.addDependency(hook); // which has to know the new version before the alias moves to it
}
