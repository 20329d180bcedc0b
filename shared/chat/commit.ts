import { ServiceError } from "../errors.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import { keepCounted } from "../threads/live-threads.ts";
import { type Origin, THREAD_GONE, type Thread } from "../threads/thread.ts";
import { commitTurn } from "../threads/turn-repository.ts";
import { COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { Handoff } from "./handoff.ts";
import { otherPatient, type Ready } from "./load.ts";
import type { Reply } from "./reply.ts";

/** What a chat has come to. */
interface Outcome {
  reply: Reply;
  origin: Origin;
  /** What the reply means for a request for a person; undefined if one has taken over. */
  handoff: Handoff | undefined;
}

/**
 * Commits the turn to the thread. If a person has taken over since the thread was read, the model's answer is dropped, and
 * the turn has another reply.
 *
 * @param replyOnceHeld returns the other reply
 * @returns the thread after the commit, undefined without a thread, and the reply of the turn
 * @throws ServiceError `not-found` if the thread or the patient was deleted in the meantime; `invalid` if the thread was
 *   bound to another patient; the database's errors
 */
export async function commit(
  context: CallerContext,
  request: ChatRequest,
  loaded: Ready,
  { reply, origin, handoff }: Outcome,
  replyOnceHeld: (thread: Thread) => Reply,
): Promise<{ thread: Thread | undefined; reply: Reply }> {
  const { conversation, patient, reservation } = loaded;
  if (!conversation) {
    return { thread: undefined, reply };
  }
  const { tenant } = context.caller;
  const { text: answer, disclosureLength, alert, held, report } = reply;
  const { message: question } = request;
  const turn = {
    ...{ question, answer, disclosureLength, alert: alert?.category, held: held || undefined, origin },
    handoff: handoff?.reason,
    replay: report,
  };
  const giveUpAt = context.deadline - COMMIT_RESERVE_MILLISECONDS / 2;
  const options = { reservation, patientId: patient?.id, handoff: handoff?.change, alertLevel: alert?.level };
  const [outcome] = await Promise.all([
    commitTurn(tenant, conversation.thread, turn, giveUpAt, options),
    keepCounted(tenant, conversation.thread),
  ]);
  switch (outcome.kind) {
    case "committed":
      return { thread: outcome.thread, reply };
    case "taken-over": {
      const { thread } = outcome;
      const current = { ...loaded, conversation: { ...conversation, thread } };
      const held = { reply: replyOnceHeld(thread), origin: { ...origin, model: null }, handoff: undefined };
      return commit(context, request, current, held, replyOnceHeld);
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
