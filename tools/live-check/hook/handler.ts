import { setTimeout } from "node:timers/promises";
import {
  CodeDeployClient,
  GetDeploymentCommand,
  PutLifecycleEventHookExecutionStatusCommand,
} from "@aws-sdk/client-codedeploy";
import { InvokeCommand, LambdaClient, TooManyRequestsException } from "@aws-sdk/client-lambda";
import { parseClientKeys } from "../../../shared/auth/client-keys.ts";
import { config } from "../../../shared/config.ts";
import { describeError, logError, logInfo } from "../../../shared/logger.ts";
import { readSecret } from "../../../shared/secrets.ts";
import { type CheckResult, checkVersion } from "./check-version.ts";

/** The clients whose key may be used, in order of preference: the live check's own, or that of a new stack. */
const CLIENTS = ["live-check", "default"];

const SWEEP = "sweep-threads";
/** Only one sweep can run at a time, and a scheduled run may be in progress. */
const SWEEP_TRIES = 20;
const SWEEP_PAUSE_MILLISECONDS = 10_000;

/** The event with which CodeDeploy invokes a hook ("AppSpec 'hooks' section for an AWS Lambda deployment"). */
interface HookEvent {
  DeploymentId: string;
  LifecycleEventHookExecutionId: string;
}

const codeDeploy = new CodeDeployClient();
const lambda = new LambdaClient();

/**
 * Checks the new version of the function that is being deployed, before it receives any traffic, and reports the result
 * to CodeDeploy. If the check fails, CodeDeploy stops the deployment, and CloudFormation rolls the stack back.
 */
export async function handler({ DeploymentId, LifecycleEventHookExecutionId }: HookEvent): Promise<CheckResult> {
  const result = await check(DeploymentId).catch((error): CheckResult => {
    logError("deployment-check-failed", describeError(error));
    return { passed: false, hold: 0, broken: [] };
  });
  await codeDeploy.send(
    new PutLifecycleEventHookExecutionStatusCommand({
      deploymentId: DeploymentId,
      lifecycleEventHookExecutionId: LifecycleEventHookExecutionId,
      status: result.passed ? "Succeeded" : "Failed",
    }),
  );
  return result;
}

/** Checks the function that is being deployed. Deployment groups are named after their functions. */
async function check(deploymentId: string): Promise<CheckResult> {
  const { deploymentInfo } = await codeDeploy.send(new GetDeploymentCommand({ deploymentId }));
  const name = deploymentInfo?.deploymentGroupName ?? "";
  const result = name === SWEEP ? await checkSweep() : await checkEndpoint(name);
  const log = result.passed ? logInfo : logError;
  log("deployment-check", { function: name, ...result });
  return result;
}

async function checkEndpoint(name: string): Promise<CheckResult> {
  const keys = parseClientKeys((await readSecret(config.apiKeysSecret, 0)) ?? "");
  const apiKey = CLIENTS.map((client) => keys.get(client)?.keys[0]).find((key) => key !== undefined);
  if (apiKey === undefined) {
    return { passed: false, hold: 0, broken: [`there is no client ${CLIENTS.join(" or ")} with a key`] };
  }
  // For other functions, it uses the alias that serves callers.
  return checkVersion(name, apiKey, (other, event) => invoke(other, event, other === name ? undefined : "live"));
}

/** Runs the new version once, which does the work of the next scheduled run. */
async function checkSweep(): Promise<CheckResult> {
  for (let tries = 1; ; tries++) {
    try {
      await invoke(SWEEP, { source: "deployment-hook" });
      return { passed: true, hold: 1, broken: [] };
    } catch (error) {
      if (!(error instanceof TooManyRequestsException) || tries === SWEEP_TRIES) {
        return { passed: false, hold: 0, broken: [`a sweep succeeds: ${(error as Error).name}`] };
      }
      await setTimeout(SWEEP_PAUSE_MILLISECONDS);
    }
  }
}

/** Error thrown when a function crashed or timed out. */
class FunctionError extends Error {
  override readonly name = "FunctionError";
}

/**
 * Invokes a function.
 *
 * @param qualifier a version or alias; by default, the new version
 * @throws FunctionError; errors of the SDK
 */
async function invoke(name: string, event: unknown, qualifier?: string): Promise<Buffer> {
  const suffix = name.toUpperCase().replaceAll("-", "_");
  const { Payload, FunctionError: failed } = await lambda.send(
    new InvokeCommand({
      FunctionName: process.env[`FUNCTION_${suffix}`],
      Qualifier: qualifier ?? process.env[`VERSION_${suffix}`],
      Payload: JSON.stringify(event),
    }),
  );
  if (failed) {
    throw new FunctionError("the function failed");
  }
  return Buffer.from(Payload ?? "");
}
