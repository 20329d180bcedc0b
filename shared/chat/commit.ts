import { ServiceError } from "../errors.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import type { CallerContext } from "../request-context.ts";
import { keepCounted } from "../threads/live-threads.ts";
import { type Origin, THREAD_GONE, type Thread } from "../threads/thread.ts";
import { commitTurn } from "../threads/turn-repository.ts";
import { COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import { asksFor, type ChatRequest } from "./chat-request.ts";
import { otherPatient, type Ready } from "./load.ts";
import type { Reply } from "./reply.ts";

/**
 * Commits the turn to the thread.
 *
 * @returns the thread after the commit; undefined without a thread
 * @throws ServiceError `not-found` if the thread or the patient was deleted in the meantime; `invalid` if the thread was
 *   bound to another patient; the database's errors
 */
export async function commit(
  { caller: { tenant }, deadline }: CallerContext,
  request: ChatRequest,
  { conversation, patient, reservation }: Ready,
  { text: answer, disclosureLength, alert, report }: Reply,
  origin: Origin,
): Promise<Thread | undefined> {
  if (!conversation) {
    return undefined;
  }
  const { message: question } = request;
  const turn = {
    ...{ question, answer, disclosureLength, alert: alert?.category, origin },
    replay: asksFor("safety", request) ? report : undefined,
  };
  const giveUpAt = deadline - COMMIT_RESERVE_MILLISECONDS / 2;
  const [outcome] = await Promise.all([
    commitTurn(tenant, conversation.thread, turn, giveUpAt, {
      reservation,
      patientId: patient?.id,
      events: alert && [{ type: "safety.alert", level: alert.level }],
    }),
    keepCounted(tenant, conversation.thread),
  ]);
  switch (outcome.kind) {
    case "committed":
      return outcome.thread;
    case "other-patient":
      throw otherPatient(request);
    case "patient-erased":
      throw new ServiceError("not-found", PATIENT_UNKNOWN);
    case "thread-gone":
      throw new ServiceError("not-found", THREAD_GONE);
  }
}
