import { Deviation, NotPlayed } from "./deviation.ts";
import type { Row, Rule } from "./rule.ts";
import { authentication, keyIsAccepted } from "./rules/authentication.ts";
import { chat } from "./rules/chat.ts";
import { cleanup } from "./rules/cleanup.ts";
import { conversation } from "./rules/conversation.ts";
import { description } from "./rules/description.ts";
import { everyRequest } from "./rules/every-request.ts";
import { patients } from "./rules/patients.ts";
import { threads } from "./rules/threads.ts";
import { Target, type TargetOptions } from "./target.ts";

const GROUPS: [group: string, rules: Rule[]][] = [
  ["The key", [keyIsAccepted]],
  ["OpenAPI document", description],
  ["Authentication", authentication],
  ["Patients", patients],
  ["Threads", threads],
  ["Chat", chat],
  ["A thread's life", conversation],
  ["Every request", everyRequest],
  ["Cleaning up", [cleanup]],
];

/** All rules in the order of playing: later ones use what earlier ones have found. */
export const PLAN = GROUPS.flatMap(([group, rules]) => rules.map((rule) => ({ group, rule })));

/** Nothing answers at the address; the message says why. */
export class Unreachable extends Error {}

/**
 * Plays the contract of the interface against an address, one request after the other.
 *
 * @returns a row for each rule, as soon as it is played. The first rule is that the key is accepted: when it is not, no
 *   other is played
 * @throws Unreachable when there is no answer to the first request; the signal's reason when it is aborted. What was
 *   opened is deleted all the same, also when the caller reads no further
 *
 * @param plan the rules to be played, in order
 */
export async function* liveCheck(options: TargetOptions, plan = PLAN): AsyncGenerator<Row, void, void> {
  const target = new Target(options);
  try {
    for (const [index, { group, rule }] of plan.entries()) {
      target.begin(index + 1);
      const row = await playRule(target, group, rule, options.signal);
      if (!target.reached) {
        throw new Unreachable(row.faults.join());
      }
      yield row;
      if (rule === keyIsAccepted && row.outcome !== "ok") {
        return;
      }
    }
  } finally {
    await target.deleteOpenThreads(); // of a run that was cut off; a whole one has none any more
  }
}

async function playRule(target: Target, group: string, { name, play }: Rule, signal?: AbortSignal): Promise<Row> {
  try {
    await play(target);
    return { group, rule: name, outcome: "ok", faults: [] };
  } catch (error) {
    signal?.throwIfAborted();
    const outcome = error instanceof NotPlayed ? "not played" : "broken";
    return { group, rule: name, outcome, faults: error instanceof Deviation ? error.faults : [described(error)] };
  }
}

/** What kept a rule from its end, without a message that could repeat what was sent or what came. */
function described(error: unknown): string {
  if (error instanceof NotPlayed) {
    return error.message;
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (cause.name === "TimeoutError" || typeof code === "string") {
      return `no answer (${cause.name === "TimeoutError" ? "timeout" : code})`;
    }
  }
  return `what came cannot be looked at (${error instanceof Error ? error.name : typeof error})`;
}
