import {
  CodeDeployClient,
  type DeploymentCreator,
  GetDeploymentCommand,
  PutLifecycleEventHookExecutionStatusCommand,
} from "@aws-sdk/client-codedeploy";
import { InvokeCommand, LambdaClient, TooManyRequestsException } from "@aws-sdk/client-lambda";
import type { Context } from "aws-lambda";
import { parseClientKeys } from "../../shared/auth/client-keys.ts";
import { config } from "../../shared/config.ts";
import { describeError, logError, logInfo } from "../../shared/observability/logger.ts";
import { readSecret } from "../../shared/secrets.ts";
import { checkSweep } from "./check-sweep.ts";
import { checkVersion } from "./check-version.ts";
import type { CheckResult, Version } from "./judge.ts";
import { retryThrottled } from "./retry-throttled.ts";

/** The clients whose key may be used, in order of preference: the live check's own, or that of a new stack. */
const CLIENTS = ["live-check", "default"];

const SWEEP = "sweep-threads";

/** Who creates a deployment that restores what served callers before ("DeploymentInfo", CodeDeploy API Reference). */
const ROLLBACKS: (DeploymentCreator | undefined)[] = ["CloudFormationRollback", "codeDeployRollback"];

/** The time that is reserved to erase what the check created and to report its failure. */
const RESERVE_MILLISECONDS = 60_000;

/** 20 seconds, within the 35 seconds that the live check waits for a response. */
const THROTTLED = { tries: 20, pauseMilliseconds: 1_000 };

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
export async function handler(event: HookEvent, context: Context): Promise<CheckResult> {
  const { DeploymentId: deploymentId, LifecycleEventHookExecutionId: lifecycleEventHookExecutionId } = event;
  const deadline = AbortSignal.timeout(context.getRemainingTimeInMillis() - RESERVE_MILLISECONDS);
  const result = await check(deploymentId, deadline).catch((error): CheckResult => {
    logError("deployment-check-failed", describeError(error));
    return { passed: false, held: 0, broken: [], brokenBefore: [] };
  });
  const status = result.passed ? "Succeeded" : "Failed";
  await codeDeploy.send(
    new PutLifecycleEventHookExecutionStatusCommand({ deploymentId, lifecycleEventHookExecutionId, status }),
  );
  return result;
}

/** Checks the function that is being deployed. Deployment groups are named after their functions. */
async function check(deploymentId: string, deadline: AbortSignal): Promise<CheckResult> {
  const { deploymentInfo } = await codeDeploy.send(new GetDeploymentCommand({ deploymentId }));
  const { deploymentGroupName: name = "", creator } = deploymentInfo ?? {};
  const rollback = ROLLBACKS.includes(creator);
  const result = rollback
    ? RESTORED
    : await (name === SWEEP ? checkSweep(sweep, deadline) : checkEndpoint(name, deadline));
  const log = result.passed ? logInfo : logError;
  log("deployment-check", { function: name, ...result, ...(rollback && { rollback }) });
  return result;
}

/**
 * A rollback is never checked: it restores what served callers before, and if the check failed, during an outage for
 * example, the stack would be stuck between two versions.
 */
const RESTORED: CheckResult = { passed: true, held: 0, broken: [], brokenBefore: [] };

async function checkEndpoint(name: string, deadline: AbortSignal): Promise<CheckResult> {
  const keys = parseClientKeys((await readSecret(config.apiKeysSecret, 0)) ?? "");
  const apiKey = CLIENTS.map((client) => keys.get(client)?.keys[0]).find((key) => key !== undefined);
  if (apiKey === undefined) {
    const broken = [`there is no client ${CLIENTS.join(" or ")} with a key`];
    return { passed: false, held: 0, broken, brokenBefore: [] };
  }
  return checkVersion(name, apiKey, respond, deadline);
}

function sweep(version: Version, signal: AbortSignal): Promise<Buffer> {
  return invoke(SWEEP, { source: "deployment-hook" }, version, signal);
}

/** Invokes a function, and returns its response or the one that the gateway would send instead. */
async function respond(name: string, event: unknown, version: Version, signal?: AbortSignal): Promise<Buffer> {
  try {
    return await retryThrottled(() => invoke(name, event, version, signal), { ...THROTTLED, signal });
  } catch (error) {
    const statusCode =
      error instanceof FunctionError ? 502 : error instanceof TooManyRequestsException ? 429 : undefined;
    if (statusCode === undefined) {
      throw error;
    }
    return Buffer.from(JSON.stringify({ statusCode, headers: {}, body: "" }));
  }
}

/** Error thrown when a function crashed or timed out. */
class FunctionError extends Error {
  override readonly name = "FunctionError";
}

/** @throws FunctionError; errors of the SDK; the signal's reason */
async function invoke(name: string, event: unknown, version: Version, signal?: AbortSignal): Promise<Buffer> {
  const suffix = name.toUpperCase().replaceAll("-", "_");
  const { Payload, FunctionError: failed } = await lambda.send(
    new InvokeCommand({
      FunctionName: process.env[`FUNCTION_${suffix}`],
      Qualifier: version === "new" ? process.env[`VERSION_${suffix}`] : "live",
      Payload: JSON.stringify(event),
    }),
    { ...(signal && { abortSignal: signal }) },
  );
  if (failed) {
    throw new FunctionError("the function failed");
  }
  return Buffer.from(Payload ?? "");
}
