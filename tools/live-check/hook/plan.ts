import { PLAN } from "../live-check.ts";
import { ROUTES } from "./invoke-fetch.ts";

export type PlannedRule = (typeof PLAN)[number];

/** The groups of rules about a function's answers; what the others are about is the gateway's, or the description's. */
const GROUPS = ["Authentication", "Patients", "Threads", "Chat", "A thread's life", "Cleaning up"];

/**
 * The rules to play against a new version of a function, in order: its own, and those of other functions that leave a
 * patient or a thread behind for them. Only chat's own rules ask the model.
 *
 * @returns the rules, and whether a rule is about the function itself: a failure of another is not the new version's fault
 */
export function planFor(functionName: string): { plan: PlannedRule[]; own: (ruleName: string) => boolean } {
  const [method, path] = ROUTES[functionName] ?? [];
  const own = (ruleName: string) =>
    ruleName.startsWith(`${method} ${path}`) && !/^[/\w]/.test(ruleName.slice(`${method} ${path}`.length));
  const wholeLife = functionName === "chat";
  const plan = PLAN.filter(
    ({ group, rule }) =>
      GROUPS.includes(group) &&
      (own(rule.name) || rule.setup || group === "Cleaning up" || (wholeLife && group === "A thread's life")),
  );
  return { plan, own };
}
