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
import { checkRun } from "./check-run.ts";
import { checkVersion } from "./check-version.ts";
import type { CheckResult, Version } from "./judge.ts";
import { retryThrottled } from "./retry-throttled.ts";

/** The clients whose key may be used, in order of preference: the live check's own, or that of a new stack. */
const CLIENTS = ["live-check", "default"];

/** The functions that no caller waits for, and what is checked of them. */
const RUNS: Record<string, string> = {
  "sweep-threads": "a sweep succeeds",
  "deliver-events": "the delivery of events can read its table",
};

/**
 * The number of times that a check lets a new version crash. One more would set off the alarm on the function's
 * failures, though no caller is affected (`infra/failure-alarm.ts`).
 */
const CRASHES = 2;

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
    : await (RUNS[name] ? checkRun(RUNS[name], run(name), deadline) : checkEndpoint(name, deadline));
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
  return checkVersion(name, apiKey, responder(), deadline);
}

function run(name: string) {
  return (version: Version, signal: AbortSignal) => invoke(name, { source: "deployment-hook" }, version, signal);
}

/**
 * Returns a function that invokes another one, and returns its response or the one that the gateway would send instead.
 * A new version that has crashed {@link CRASHES} times is not invoked any more.
 */
function responder() {
  let crashes = 0;
  return async (name: string, event: unknown, version: Version, signal?: AbortSignal): Promise<Buffer> => {
    if (version === "new" && crashes >= CRASHES) {
      return withoutBody(502);
    }
    try {
      return await retryThrottled(() => invoke(name, event, version, signal), { ...THROTTLED, signal });
    } catch (error) {
      if (error instanceof FunctionError) {
        crashes += version === "new" ? 1 : 0;
        return withoutBody(502);
      }
      if (error instanceof TooManyRequestsException) {
        return withoutBody(429);
      }
      throw error;
    }
  };
}

function withoutBody(statusCode: number): Buffer {
  return Buffer.from(JSON.stringify({ statusCode, headers: {}, body: "" }));
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
