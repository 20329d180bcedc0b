import { Duration, Stack, Validations } from "aws-cdk-lib";
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
  TrafficRouting,
} from "aws-cdk-lib/aws-codedeploy";
import { Grant, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { ServiceFunction } from "./service-function.ts";
import type { Stage } from "./stages.ts";

/** A part of the traffic for some minutes, then the rest. */
type Shifting = NonNullable<Stage["shifting"]>;

interface GradualDeploymentProps {
  /** Those that callers wait for. */
  endpoints: ServiceFunction[];
  sweep: ServiceFunction;
  /** How an endpoint's new version gets its traffic. */
  shifting: Shifting;
}

/**
 * Gives a new version of a function a part of the traffic first, and takes it back when the function's alarm goes off:
 * then CloudFormation rolls the whole stack back.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, { endpoints, sweep, shifting }: GradualDeploymentProps) {
    super(scope, id);
    const application = new LambdaApplication(this, "Application", { applicationName: Stack.of(this).stackName });
    const role = this.deploymentRole([...endpoints, sweep]);
    // A tenth of a sweep's runs would be one in 100 minutes. So half of them, for the two runs that fall into 20 minutes.
    const forSweep = this.canary("SweepCanary", { percentage: 50, minutes: 20 });
    const forEndpoints = this.canary("Canary", shifting);
    for (const fn of [...endpoints, sweep]) {
      const group = new LambdaDeploymentGroup(this, fn.node.id, {
        application,
        role: role.withoutPolicyUpdates(), // or it would be given AWSCodeDeployRoleForLambdaLimited, for all functions
        alias: fn.live,
        deploymentConfig: fn === sweep ? forSweep : forEndpoints,
        alarms: [fn.failing],
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
      });
      group.node.addDependency(role);
    }
  }

  private canary(id: string, { percentage, minutes }: Shifting): LambdaDeploymentConfig {
    const interval = Duration.minutes(minutes);
    return new LambdaDeploymentConfig(this, id, {
      trafficRouting: TrafficRouting.timeBasedCanary({ interval, percentage }),
    });
  }

  /** Lets CodeDeploy do with these functions what it does: move their aliases, and look at the alarms. */
  private deploymentRole(functions: ServiceFunction[]): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    Grant.addToPrincipal({
      grantee: role,
      actions: ["lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias"],
      resourceArns: functions.flatMap(({ functionArn, live }) => [functionArn, `${functionArn}:${live.aliasName}`]),
    });
    Grant.addToPrincipal({
      grantee: role,
      actions: ["cloudwatch:DescribeAlarms"],
      resourceArns: functions.map(({ failing }) => failing.alarmArn),
    });
    Validations.of(role).acknowledge({
      id: "HIPAA.Security::HIPAA.Security-IAMNoInlinePolicy",
      reason: "The policy names these functions and these alarms; it is of no use to any other role.",
    });
    return role;
  }
}
