import { liveCheck, PLAN } from "../../shared/live-check/live-check.ts";
import { invokeFetch, routesOf } from "./invoke-fetch.ts";
import { type CheckResult, judge, type Version, type VersionFindings } from "./judge.ts";

/** The base URL of the check's requests. Nothing is sent there. */
const NOWHERE = "https://deployment-hook.invalid/v1";

/** Invokes a version of a function with an event, and returns the function's response. */
type Invoke = (functionName: string, event: unknown, version: Version, signal?: AbortSignal) => Promise<Buffer>;

/**
 * Runs the live check's rules about one function against its new version. All other functions are invoked through the
 * alias that serves callers. Whatever the rules create has a phone number of its own and is erased at the end, so any
 * number of checks can run at the same time, and none depends on what a killed one left behind.
 *
 * @param signal stops the check; what it created is still erased
 * @throws the signal's reason when it is aborted
 */
export function checkVersion(
  functionName: string,
  apiKey: string,
  invoke: Invoke,
  signal?: AbortSignal,
): Promise<CheckResult> {
  return judge((version) => {
    const fetch = invokeFetch(NOWHERE, (other, event, ofRequest) =>
      invoke(other, event, other === functionName ? version : "live", ofRequest),
    );
    return findings(functionName, { baseUrl: NOWHERE, apiKey, fetch, ...(signal && { signal }) });
  });
}

async function findings(functionName: string, options: Parameters<typeof liveCheck>[0]): Promise<VersionFindings> {
  const found: VersionFindings = { held: 0, broken: new Map() };
  for await (const { rule, fault } of liveCheck(options, rulesFor(functionName))) {
    if (fault === undefined) {
      found.held++;
    } else {
      found.broken.set(rule, fault);
    }
  }
  return found;
}

/**
 * The rules about a function's own responses, in the live check's order; none for a function that serves no operation.
 * The patients and threads that they need are created when a rule first needs them. Only the rules of chats call the
 * model.
 */
export function rulesFor(functionName: string): typeof PLAN {
  const operations = routesOf(functionName).map(({ method, path }) => `${method} ${path}`);
  return PLAN.filter(({ operation }) => operations.includes(operation));
}
