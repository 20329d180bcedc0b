import { THREAD_ID_PATTERN } from "../threads/thread-id.ts";
import type { KnownThread, Target } from "./target.ts";

// What several rules need. The first rule that needs it creates it, so that any selection of rules can be played.

/** The metadata of the thread. */
export const METADATA = { source: "live check" };

/** The id of the patient with a whole record. */
export async function patientId(target: Target): Promise<string> {
  target.fixtures.patientId ??= (
    await target.expect("POST /patients", 201, target.patient.created, { body: target.patient.request })
  ).body.patient.id as string;
  return target.fixtures.patientId;
}

/** The id of the patient that is corrected and erased. */
export async function erasableId(target: Target): Promise<string> {
  const { fixtures, erasable } = target;
  if (fixtures.erasableId === undefined) {
    const request = { body: erasable.request, headers: target.idempotencyKey("patient") };
    fixtures.created = (await target.expect("POST /patients", 201, erasable.created, request)).body;
    fixtures.erasableId = (fixtures.created as { patient: { id: string } }).patient.id;
  }
  return fixtures.erasableId;
}

/** A new thread, which does not begin with a question. */
export const NEW_THREAD = {
  threadId: (id: string) => THREAD_ID_PATTERN.test(id),
  initialMessage: undefined,
  messageCount: 0,
  message: Boolean,
  disclosure: undefined,
};

/** The patient's thread, on which the chats take place. */
export async function linkedThread(target: Target): Promise<KnownThread> {
  target.fixtures.thread ??= await openThread(target, { patientId: await patientId(target), metadata: METADATA });
  return target.fixtures.thread;
}

/** Opens a thread of the patient. */
export async function openThread(target: Target, body: object): Promise<KnownThread> {
  const id = await patientId(target);
  const opened = await target.expect("POST /threads", 201, NEW_THREAD, { body });
  return { threadId: opened.body.threadId, patientId: id, messages: [] };
}

/** The fields of a thread that are known. */
export function threadFields({ threadId, patientId, messages }: KnownThread) {
  return { threadId, patientId, messageCount: messages.length };
}

const NOTHING_FOUND = {
  level: "none",
  category: null,
  certainty: null,
  decidedBy: null,
  cautions: [],
  alertText: null,
};

/**
 * The messages of a thread, about which the safety layer has found nothing.
 *
 * @param whole whether the answers say so, and have parts
 */
export function messagesOf({ messages }: KnownThread, whole = false) {
  return messages.map(({ role, content, model }) => {
    const isWhole = whole && role === "assistant";
    const parts = (list: { text: string }[] = []) => list.map(({ text }) => text).join("\n\n") === content;
    return {
      id: (id: string) => /^[\w-]+$/.test(id),
      role,
      author: undefined,
      content,
      generatedBy: role === "user" ? null : "ai",
      model,
      parts: isWhole ? parts : undefined,
      safety: isWhole ? NOTHING_FOUND : undefined,
      feedback: undefined,
    };
  });
}
