import { ServiceError } from "../errors.ts";
import { annotate, logWarning } from "../logger.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { readPatient } from "../patients/patient-repository.ts";
import { isThreadId } from "../threads/thread.ts";
import { appendExchange, type Conversation, readConversation } from "../threads/thread-repository.ts";
import { askModel } from "./assistant.ts";
import type { ChatRequest, ChatResponse } from "./messages.ts";
import { buildPrompt, toMessages } from "./prompt.ts";

/** The longest the model may take, and what an invocation keeps for everything after it. */
const MODEL_MILLISECONDS = 24_000;
const COMMIT_MILLISECONDS = 4_000;

/**
 * `POST /chat`: answers a message, knowing the patient's record and the thread's last 20 messages.
 *
 * 1. The thread and the patient are read; either may be absent from the request.
 * 2. The model is asked. Until it has answered, nothing is written.
 * 3. The exchange is committed to the thread, unless that is gone by now.
 *
 * @param remainingMilliseconds what the invocation has left
 * @throws ServiceError `not-found` for a thread or a patientId that does not exist; `invalid` when the request names
 *   another patient than the thread's; whatever the model or the database fails with
 */
export async function chat(request: ChatRequest, remainingMilliseconds: () => number): Promise<ChatResponse> {
  const conversation = request.threadId === undefined ? undefined : await findConversation(request.threadId);
  const patient = await patientOf(request, conversation);
  annotate({ threadId: conversation?.thread.threadId, patientId: patient?.id });

  const history = conversation ? toMessages(conversation.exchanges) : (request.conversationHistory ?? []);
  const prompt = buildPrompt(patient, request.patientData, history, request.message);
  const answer = await askModel(prompt, Math.min(MODEL_MILLISECONDS, remainingMilliseconds() - COMMIT_MILLISECONDS));
  if (!conversation) {
    return { success: true, response: answer };
  }

  const thread = await appendExchange(conversation.thread, { question: request.message, answer });
  if (!thread) {
    throw threadGone();
  }
  return { success: true, response: answer, threadId: thread.threadId, messageCount: thread.messageCount };
}

async function findConversation(threadId: string): Promise<Conversation> {
  const conversation = isThreadId(threadId) ? await readConversation(threadId) : undefined;
  if (!conversation) {
    throw threadGone();
  }
  return conversation;
}

/** The patient this chat is about: the thread's, or else the request's. The two may not differ. */
async function patientOf(request: ChatRequest, conversation: Conversation | undefined): Promise<Patient | undefined> {
  const linkedId = conversation?.thread.patientId ?? undefined;
  if (linkedId === undefined) {
    return findPatient(request);
  }
  if (request.patientId !== undefined && request.patientId.toLowerCase() !== linkedId) {
    throw otherPatient("patientId");
  }
  const [linked, named] = await Promise.all([
    readPatient(linkedId),
    request.patientId === undefined ? findPatient({ phone: request.phone }) : undefined,
  ]);
  if (named && named.id !== linkedId) {
    throw otherPatient("phone");
  }
  if (!linked) {
    logWarning("linked-patient-missing", { patientId: linkedId });
  }
  return linked;
}

function threadGone(): ServiceError {
  return new ServiceError("not-found", "Thread not found or expired");
}

function otherPatient(path: string): ServiceError {
  const message = `${path} names another patient than the one this thread is linked to`;
  return new ServiceError("invalid", message, { details: [{ path, message: "must be the thread's own patient" }] });
}
