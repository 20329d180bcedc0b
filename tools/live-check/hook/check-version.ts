import { liveCheck } from "../live-check.ts";
import type { Row } from "../rule.ts";
import { type Invoke, invokeFetch } from "./invoke-fetch.ts";
import { planFor } from "./plan.ts";

/** An address for the check's requests; nothing is sent there. */
const NOWHERE = "https://deployment-hook.invalid/v1";

/** How a check ended. */
export interface CheckResult {
  passed: boolean;
  /** How many of the function's own rules hold. */
  hold: number;
  /** Those that do not, with what was expected and what came: never contents. */
  broken: string[];
}

/**
 * Plays the live check's rules for one function.
 *
 * @param invoke has to know which version of that function is meant
 * @returns passed, when none of the function's own rules is broken and at least one of them holds
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
