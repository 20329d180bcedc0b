import { alertOf } from "../../packages/safety/alerts.ts";
import { ServiceError } from "../errors.ts";
import { PATIENT_UNKNOWN } from "../patients/patient.ts";
import type { CallerContext } from "../request/request-context.ts";
import { keepCounted } from "../threads/live-threads.ts";
import { THREAD_GONE, type Thread } from "../threads/thread.ts";
import { commitTurn } from "../threads/turn-repository.ts";
import { COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import type { Finished } from "./finish.ts";
import type { Loaded } from "./load.ts";
import { otherPatient } from "./patient-of-chat.ts";

/**
 * The result of a commit: the thread after it, undefined without a thread; or, if a person has taken over since the
 * thread was read, nothing but the thread as it is now; or, if the turn was stopped before it was stored, nothing.
 */
export type Committed =
  | { kind: "committed"; thread: Thread | undefined }
  | { kind: "held"; thread: Thread }
  | { kind: "stopped" };

/**
 * Commits the turn to the thread, unless a person has taken over since the thread was read: then the model's answer must
 * not be stored; nor as a whole one, if the turn was stopped.
 *
 * @param thread as it was read last; undefined without a thread
 * @throws ServiceError `not-found` if the thread or the patient was deleted in the meantime; `invalid` if the thread
 *   was bound to another patient; the database's errors
 */
export async function commit(
  { caller: { tenant }, deadline }: CallerContext,
  { request, patient, reservation }: Loaded,
  thread: Thread | undefined,
  { turn, handoff, stopped }: Finished,
): Promise<Committed> {
  if (!thread) {
    return { kind: "committed", thread };
  }
  const options = {
    reservation,
    patientId: patient?.id,
    handoff: handoff?.change,
    alertLevel: turn.alert && alertOf(turn.alert).level,
    stopped,
  };
  const [committed] = await Promise.all([
    commitTurn(tenant, thread, turn, deadline - COMMIT_RESERVE_MILLISECONDS / 2, options),
    keepCounted(tenant, thread),
  ]);
  switch (committed.kind) {
    case "committed":
    case "stopped":
      return committed;
    case "taken-over":
      return { kind: "held", thread: committed.thread };
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
