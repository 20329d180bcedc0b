import { documentedEndpoints, documentedErrors, otherMethods } from "./documented-errors.ts";
import type { Rule } from "./rule.ts";
import { chat } from "./rules/chat.ts";
import { events } from "./rules/events.ts";
import { feedback } from "./rules/feedback.ts";
import { fhir } from "./rules/fhir.ts";
import { cleanup, everyRequest, keyIsAccepted, published } from "./rules/general.ts";
import { handoff } from "./rules/handoff.ts";
import { openAiClients } from "./rules/openai.ts";
import { erasure, patients, patientThreads } from "./rules/patients.ts";
import { profile } from "./rules/profile.ts";
import { sources } from "./rules/sources.ts";
import { newThreads, threads } from "./rules/threads.ts";
import { Deviation, Target, type TargetOptions } from "./target.ts";

/** All rules in their order. Those for documented errors derive from the endpoints' declarations. */
export const PLAN: Rule[] = [
  keyIsAccepted,
  ...published,
  ...everyRequest,
  ...otherMethods(),
  ...documentedEndpoints.flatMap(documentedErrors),
  ...patients,
  ...newThreads,
  ...chat,
  ...openAiClients,
  ...patientThreads,
  ...feedback,
  ...fhir,
  ...handoff,
  ...events,
  ...profile,
  ...sources,
  ...threads,
  ...erasure,
  cleanup,
];

/** Error thrown when the service cannot be reached. The message says why. */
export class Unreachable extends Error {}

/** The result of a rule. */
export interface Row {
  rule: string;
  /** Expected and actual results, if they differ. They reveal no contents, which may be a patient's. */
  fault: string | undefined;
}

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
    for (const [index, rule] of plan.entries()) {
      target.begin(index + 1);
      const fault = await faultOf(rule, target, options.signal);
      if (!target.reached) {
        throw new Unreachable(fault);
      }
      yield { rule: rule.name, fault };
      if (rule === keyIsAccepted && fault !== undefined) {
        return;
      }
    }
  } finally {
    await target.deleteLeftovers(); // a complete run has none
  }
}

async function faultOf({ play }: Rule, target: Target, signal?: AbortSignal): Promise<string | undefined> {
  try {
    await play(target);
    return undefined;
  } catch (error) {
    signal?.throwIfAborted();
    return error instanceof Deviation ? error.message : described(error);
  }
}

/** Describes why a rule could not finish. Error messages are omitted because they may quote a request or a response. */
function described(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (cause.name === "TimeoutError" || typeof code === "string") {
      return `no response (${cause.name === "TimeoutError" ? "timeout" : code})`;
    }
  }
  return `the response cannot be read (${error instanceof Error ? error.name : typeof error})`;
}
