import type { Clinic } from "../clinic.ts";
import { ServiceError } from "../errors.ts";
import type { Patient } from "../patients/patient.ts";
import { clinicFor } from "../profile/load-clinic.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Tenant } from "../tenant.ts";
import type { Reservation } from "../threads/idempotency-record-repository.ts";
import { THREAD_GONE } from "../threads/thread.ts";
import { isThreadId } from "../threads/thread-id.ts";
import { foundNothing } from "../threads/thread-items.ts";
import { type Conversation, readConversation } from "../threads/thread-repository.ts";
import type { ChatRequest } from "./chat-request.ts";
import { lackOfConsent } from "./consent.ts";
import { type Replay, releaseKey, reserveKey } from "./idempotency.ts";
import { patientOf } from "./patient-of-chat.ts";
import { type EarlierMessage, fromCaller, toMessages } from "./prompt.ts";

/** What is known of a chat before its message is read. */
export interface Loaded {
  kind: "loaded";
  clinic: Clinic;
  request: ChatRequest;
  /** The thread with its last turns; undefined without a thread. */
  conversation?: Conversation | undefined;
  /** Holds the request's idempotency key until the turn is committed. */
  reservation?: Reservation | undefined;
  /** Earlier messages, oldest first. */
  history: EarlierMessage[];
  /** Those that the user wrote, also while a person had taken over. */
  questions: string[];
  /** Those of the questions in which the screen found nothing, as the thread says. */
  nothingFound: ReadonlySet<string>;
  /** Whether any earlier answer was an alert. */
  alerted: boolean;
  patient: Patient | undefined;
  /**
   * Why the model must not be asked: the 429 of a client over a quota, the 403 of a patient without consent, or the
   * database's error. What it means for the caller depends on the message (`require-reply.ts`).
   */
  failure: unknown;
}

/** The thread of a chat: none without a `threadId`, or if it cannot be read. */
type Opened = Pick<Loaded, "conversation" | "reservation"> & { kind: "opened"; failure?: unknown };

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
): Promise<Loaded | Replay> {
  let opened: Opened = { kind: "opened" };
  let patient: Patient | undefined;
  let failure: unknown;
  try {
    const outcome = await openThread(context, request, idempotencyKey);
    if (outcome.kind === "replay") {
      return outcome;
    }
    opened = outcome;
    patient = await patientOf(context, request, opened.conversation?.thread);
    context.log.patientId = patient?.id;
    failure = opened.failure ?? (await lackOfConsent(context, opened.conversation?.thread, patient));
  } catch (error) {
    if (error instanceof ServiceError) {
      await releaseKey(context, opened);
      throw (await rejectionOf(context)) ?? error;
    }
    failure = error;
  }
  const { conversation, reservation } = opened;
  const clinic = await clinicFor(context);
  const before = saidBefore(request, conversation, clinic);
  const known = { clinic, request, conversation, reservation, ...before, patient };
  return { kind: "loaded", ...known, failure: (await rejectionOf(context)) ?? failure ?? before.failure };
}

async function rejectionOf({ admission }: CallerContext): Promise<ServiceError | undefined> {
  return (await admission)?.rejection;
}

/** Reads the thread, and reserves the idempotency key on it. */
async function openThread(
  context: CallerContext,
  request: ChatRequest,
  idempotencyKey: string | undefined,
): Promise<Opened | Replay> {
  const { threadId } = request;
  const began = Date.now(); // a thread that expires while it waits for another request is still there
  const find = () => findConversation(context.caller.tenant, threadId ?? "", began);
  if (threadId === undefined) {
    return { kind: "opened" };
  }
  const conversation = await find();
  context.log.threadId = threadId;
  if (idempotencyKey === undefined || (await rejectionOf(context))) {
    return { kind: "opened", conversation };
  }
  const reserved = await reserveKey(context, conversation.thread, request, idempotencyKey);
  if (reserved.kind === "replay") {
    return reserved;
  }
  const { reservation, waited } = reserved;
  try {
    // Other requests may have completed while it waited.
    return { kind: "opened", conversation: waited ? await find() : conversation, reservation };
  } catch (failure) {
    if (failure instanceof ServiceError) {
      await releaseKey(context, { conversation, reservation });
      throw failure;
    }
    return { kind: "opened", conversation, reservation, failure };
  }
}

async function findConversation(tenant: Tenant, threadId: string, began: number): Promise<Conversation> {
  const conversation = isThreadId(threadId) ? await readConversation(tenant, threadId, began) : undefined;
  if (!conversation) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  return conversation;
}

/** What was said before, on the thread or by the caller; nothing, and why, if it cannot be read. */
function saidBefore(
  { conversationHistory = [] }: ChatRequest,
  conversation: Conversation | undefined,
  clinic: Clinic,
): Pick<Loaded, "history" | "questions" | "nothingFound" | "alerted" | "failure"> {
  const turns = conversation?.turns;
  let history: EarlierMessage[] = [];
  let failure: unknown;
  try {
    history = turns ? toMessages(turns) : fromCaller(conversationHistory, clinic.helpLines);
  } catch (error) {
    failure = error;
  }
  const questions = turns
    ? turns.flatMap((turn) => (turn.author === undefined ? (turn.question ?? []) : []))
    : history.filter(({ role }) => role === "user").map(({ content }) => content);
  const nothingFound = new Set(turns?.flatMap((turn) => (foundNothing(turn) ? (turn.question ?? []) : [])));
  const alerted = conversation?.thread.alerted === true || history.some(({ alert }) => alert !== undefined);
  return { history, questions, nothingFound, alerted, failure };
}
