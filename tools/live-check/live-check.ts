import { Deviation, NotPlayed } from "./deviation.ts";
import type { Row, Rule } from "./rule.ts";
import { authentication, keyIsAccepted } from "./rules/authentication.ts";
import { chat } from "./rules/chat.ts";
import { cleanup } from "./rules/cleanup.ts";
import { conversation } from "./rules/conversation.ts";
import { description } from "./rules/description.ts";
import { everyRequest } from "./rules/every-request.ts";
import { patientLifecycle } from "./rules/patient-lifecycle.ts";
import { patients } from "./rules/patients.ts";
import { threads } from "./rules/threads.ts";
import { Target, type TargetOptions } from "./target.ts";

const GROUPS = {
  "API key": [keyIsAccepted],
  "OpenAPI document": description,
  Authentication: authentication,
  Patients: patients,
  Threads: threads,
  Chat: chat,
  "Thread lifecycle": conversation,
  "Patient lifecycle": patientLifecycle,
  "Every request": everyRequest,
  Cleanup: cleanup,
} satisfies Record<string, Rule[]>;

/** All rules in the order in which they run: later ones use what earlier ones found. */
export const PLAN = Object.entries(GROUPS).flatMap(([group, rules]) => rules.map((rule: Rule) => ({ group, rule })));

/** Error thrown when the service cannot be reached. The message says why. */
export class Unreachable extends Error {}

/**
 * Verifies the interface contract against a running service, one request at a time. Deletes the threads and patients
 * that it created, and nothing else, even when it throws or the caller stops iterating.
 *
 * @param plan the rules to run, in order
 * @returns a row for each rule as soon as it has run. If the first rule fails, which checks that the key is accepted,
 *   no other rule runs
 * @throws Unreachable when the first request gets no response; the signal's reason when it is aborted
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
    await target.deleteLeftovers(); // a complete run has none
  }
}

async function playRule(target: Target, group: string, { name, play }: Rule, signal?: AbortSignal): Promise<Row> {
  try {
    await play(target);
    return { group, rule: name, outcome: "ok", faults: [] };
  } catch (error) {
    signal?.throwIfAborted();
    const outcome = error instanceof NotPlayed ? "skipped" : "failed";
    return { group, rule: name, outcome, faults: error instanceof Deviation ? error.faults : [described(error)] };
  }
}

/** Describes why a rule could not finish. Error messages are omitted because they may quote a request or a response. */
function described(error: unknown): string {
  if (error instanceof NotPlayed) {
    return error.message;
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (cause.name === "TimeoutError" || typeof code === "string") {
      return `no response (${cause.name === "TimeoutError" ? "timeout" : code})`;
    }
  }
  return `the response cannot be read (${error instanceof Error ? error.name : typeof error})`;
}
