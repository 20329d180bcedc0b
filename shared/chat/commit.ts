import { ServiceError } from "../errors.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import { alertOf } from "../safety/alert.ts";
import { keepCounted } from "../threads/live-threads.ts";
import { type Exchange, THREAD_GONE, type Thread } from "../threads/thread.ts";
import { commitTurn } from "../threads/turn-repository.ts";
import { COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { Handoff } from "./handoff.ts";
import { otherPatient, type Ready } from "./load.ts";

/** What a chat has come to. */
export interface Outcome {
  turn: Exchange;
  /** What the answer means for a request for a person; undefined if one has taken over. */
  handoff: Handoff | undefined;
}

/**
 * Commits the turn to the thread. If a person has taken over since the thread was read, the model's answer is dropped,
 * and the turn has another answer.
 *
 * @param onceHeld returns what the chat has come to then
 * @returns the thread after the commit, undefined without a thread, and what was committed
 * @throws ServiceError `not-found` if the thread or the patient was deleted in the meantime; `invalid` if the thread
 *   was bound to another patient; the database's errors
 */
export async function commit(
  context: CallerContext,
  request: ChatRequest,
  loaded: Ready,
  outcome: Outcome,
  onceHeld: (thread: Thread) => Outcome,
): Promise<Outcome & { thread: Thread | undefined }> {
  const { conversation, patient, reservation } = loaded;
  if (!conversation) {
    return { ...outcome, thread: undefined };
  }
  const { tenant } = context.caller;
  const { turn, handoff } = outcome;
  const giveUpAt = context.deadline - COMMIT_RESERVE_MILLISECONDS / 2;
  const options = {
    reservation,
    patientId: patient?.id,
    handoff: handoff?.change,
    alertLevel: turn.alert && alertOf(turn.alert).level,
  };
  const [committed] = await Promise.all([
    commitTurn(tenant, conversation.thread, turn, giveUpAt, options),
    keepCounted(tenant, conversation.thread),
  ]);
  switch (committed.kind) {
    case "committed":
      return { ...outcome, thread: committed.thread };
    case "taken-over": {
      const { thread } = committed;
      const current = { ...loaded, conversation: { ...conversation, thread } };
      return commit(context, request, current, onceHeld(thread), onceHeld);
    }
    case "other-patient":
      throw otherPatient(request);
    case "patient-erased":
      throw new ServiceError("not-found", PATIENT_UNKNOWN);
    case "thread-gone":
    case "not-held": // this and the next only of a person's message
    case "key-used":
      throw new ServiceError("not-found", THREAD_GONE);
  }
}
