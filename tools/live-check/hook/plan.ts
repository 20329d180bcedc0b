import { type GroupName, PLAN } from "../live-check.ts";
import { ROUTES } from "./invoke-fetch.ts";

export type PlannedRule = (typeof PLAN)[number];

/** The groups of rules about a function's responses. The others are about the gateway and the OpenAPI document. */
const GROUPS: GroupName[] = [
  "Authentication",
  "Patients",
  "Threads",
  "Chat",
  "Thread lifecycle",
  "Patient lifecycle",
  "Cleanup",
];

/**
 * The rules to run against a new version of a function, in order: its own, and those of other functions that create the
 * patient and the thread that they need. Only chat's rules call the model.
 *
 * @returns the rules, and whether a rule is about the function itself; the new version is not to blame if another one
 *   fails
 */
export function planFor(functionName: string): { plan: PlannedRule[]; own: (ruleName: string) => boolean } {
  const [method, path] = ROUTES[functionName] ?? [];
  const own = (ruleName: string) =>
    ruleName.startsWith(`${method} ${path}`) && !/^[/\w]/.test(ruleName.slice(`${method} ${path}`.length));
  const wholeLife = functionName === "chat";
  const plan = PLAN.filter(
    ({ group, rule }) =>
      GROUPS.includes(group) &&
      (own(rule.name) || rule.setup || group === "Cleanup" || (wholeLife && group === "Thread lifecycle")),
  );
  return { plan, own };
}
