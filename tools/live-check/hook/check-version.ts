import { liveCheck } from "../live-check.ts";
import type { Row } from "../rule.ts";
import { type Invoke, invokeFetch } from "./invoke-fetch.ts";
import { planFor } from "./plan.ts";

/** The base URL of the check's requests. Nothing is sent there. */
const NOWHERE = "https://deployment-hook.invalid/v1";

/** How a check ended. */
export interface CheckResult {
  passed: boolean;
  /** The number of the function's own rules that passed. */
  hold: number;
  /** The function's own rules that failed, with expected and actual results, but no contents. */
  broken: string[];
}

/**
 * Runs the live check's rules for one function.
 *
 * @param invoke must invoke the version under test of that function
 * @returns passed if none of the function's own rules failed and at least one of them passed
 */
export async function checkVersion(functionName: string, apiKey: string, invoke: Invoke): Promise<CheckResult> {
  const { plan, own } = planFor(functionName);
  const rows: Row[] = [];
  for await (const row of liveCheck({ baseUrl: NOWHERE, apiKey, fetch: invokeFetch(NOWHERE, invoke) }, plan)) {
    rows.push(row);
  }
  const ofFunction = rows.filter(({ rule }) => own(rule));
  const broken = ofFunction
    .filter(({ outcome }) => outcome === "failed")
    .map(({ rule, faults }) => `${rule}: ${faults.join("; ")}`);
  const hold = ofFunction.filter(({ outcome }) => outcome === "ok").length;
  return { passed: broken.length === 0 && hold > 0, hold, broken };
}
