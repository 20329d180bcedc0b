import { invalidField, ServiceError } from "../errors.ts";
import { logWarning } from "../observability/logger.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { readPatient } from "../patients/patient-repository.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Tenant } from "../tenant.ts";
import { type Reservation, release } from "../threads/idempotency-record-repository.ts";
import { THREAD_GONE, type Thread } from "../threads/thread.ts";
import { isThreadId } from "../threads/thread-id.ts";
import { type Conversation, readConversation } from "../threads/thread-repository.ts";
import type { ChatRequest } from "./chat-request.ts";
import { lackOfConsent } from "./consent.ts";
import { type Replay, reserveKey } from "./idempotency.ts";
import { type EarlierMessage, fromCaller, toMessages } from "./prompt.ts";

/** The thread of a chat. */
interface Opened {
  /** The thread with its last turns; undefined without a thread. */
  conversation?: Conversation;
  /** Holds the request's idempotency key until the turn is committed. */
  reservation?: Reservation;
}

/** What is known before the model is asked. */
export interface Ready extends Opened {
  kind: "ready";
  /** Earlier messages, oldest first. */
  history: EarlierMessage[];
  /** Those that the user wrote, also while a person had taken over. */
  questions: string[];
  /** Whether any earlier answer was an alert. */
  alerted: boolean;
  patient?: Patient | undefined;
  /**
   * Why the model must not be asked: the 429 of a client over a quota, the 403 of a patient without consent, or the
   * database's error. What it means for the caller depends on the message (`chat.ts`).
   */
  failure?: unknown;
}

/**
 * Loads the thread and the patient, and reserves the idempotency key. A client over a quota reserves none.
 *
 * @param idempotencyKey a hash; without a thread, answers are not stored, so the key has no effect
 * @returns the stored response if the request is a repetition
 * @throws ServiceError the 429 of a client over a quota; otherwise `not-found` for an unknown thread, the errors of
 *   {@link patientOf}, and `unprocessable` and `conflict` as in {@link reserveKey}
 */
export async function load(
  context: CallerContext,
  request: ChatRequest,
  idempotencyKey: string | undefined,
): Promise<Ready | Replay> {
  let opened: Opened = {};
  let patient: Patient | undefined;
  let failure: unknown;
  try {
    if (request.threadId !== undefined) {
      const outcome = await openThread(context, request, request.threadId, idempotencyKey);
      if (outcome.kind === "replay") {
        return outcome;
      }
      opened = outcome.opened;
      if (outcome.waited) {
        // Other requests may have completed in the meantime.
        opened = { ...opened, conversation: await findConversation(context.caller.tenant, request.threadId) };
      }
    }
    patient = await patientOf(context, request, opened.conversation?.thread);
    context.log.patientId = patient?.id;
    failure = await lackOfConsent(context, opened.conversation?.thread, patient);
  } catch (error) {
    if (error instanceof ServiceError) {
      await releaseKey(context, opened);
      throw (await rejectionOf(context)) ?? error;
    }
    failure = error;
  }
  const turns = opened.conversation?.turns;
  const history = turns ? toMessages(turns) : fromCaller(request.conversationHistory ?? []);
  const questions = turns
    ? turns.flatMap((turn) => (turn.author === undefined ? (turn.question ?? []) : []))
    : history.filter(({ role }) => role === "user").map(({ content }) => content);
  const alerted = opened.conversation?.thread.alerted === true || history.some(({ alert }) => alert !== undefined);
  return {
    kind: "ready",
    ...opened,
    history,
    questions,
    alerted,
    patient,
    failure: (await rejectionOf(context)) ?? failure,
  };
}

async function rejectionOf({ admission }: CallerContext): Promise<ServiceError | undefined> {
  return (await admission)?.rejection;
}

async function openThread(
  context: CallerContext,
  request: ChatRequest,
  threadId: string,
  idempotencyKey: string | undefined,
): Promise<{ kind: "opened"; opened: Opened; waited: boolean } | Replay> {
  const conversation = await findConversation(context.caller.tenant, threadId);
  context.log.threadId = threadId;
  if (idempotencyKey === undefined || (await rejectionOf(context))) {
    return { kind: "opened", opened: { conversation }, waited: false };
  }
  const outcome = await reserveKey(context, conversation.thread, request, idempotencyKey);
  if (outcome.kind === "replay") {
    return outcome;
  }
  const { reservation, waited } = outcome;
  return { kind: "opened", opened: { conversation, reservation }, waited };
}

async function findConversation(tenant: Tenant, threadId: string): Promise<Conversation> {
  const conversation = isThreadId(threadId) ? await readConversation(tenant, threadId) : undefined;
  if (!conversation) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  return conversation;
}

/** Releases the idempotency key of a chat whose turn was not committed. If that fails, the lease expires. */
export async function releaseKey({ caller }: CallerContext, { conversation, reservation }: Opened): Promise<void> {
  if (conversation && reservation) {
    await release(caller.tenant, conversation.thread, reservation).catch(() => {});
  }
}

/**
 * Finds the patient that a chat is about: the one linked to the thread, or else the request's. The first chat about a
 * patient binds a thread without a linked patient to that one; only requests that name the patient use the record.
 *
 * @throws ServiceError `invalid` if the request names a patient other than the one the thread is linked or bound to,
 *   `not-found` for an unknown patientId; the database's errors
 */
async function patientOf(
  context: CallerContext,
  request: ChatRequest,
  thread: Thread | undefined,
): Promise<Patient | undefined> {
  const linkedId = thread?.patientId ?? undefined;
  const ownId = linkedId ?? thread?.boundPatientId;
  if (ownId !== undefined && request.patientId !== undefined && request.patientId.toLowerCase() !== ownId) {
    throw otherPatient(request);
  }
  const [linked, named] = await Promise.all([
    linkedId === undefined ? undefined : readPatient(context.caller, linkedId),
    linkedId !== undefined && request.patientId !== undefined ? undefined : findPatient(context, request),
  ]);
  if (ownId !== undefined && named && named.id !== ownId) {
    throw otherPatient(request);
  }
  if (linkedId !== undefined && !linked) {
    logWarning("linked-patient-missing", { patientId: linkedId });
  }
  return linkedId === undefined ? named : linked;
}

/** The error of a request that names a patient other than the one its thread is linked or bound to. */
export function otherPatient({ patientId }: ChatRequest): ServiceError {
  const path = patientId === undefined ? "phone" : "patientId";
  const error = `${path} names another patient than the one this thread is linked to`;
  return invalidField(path, "must be the thread's own patient", error);
}
