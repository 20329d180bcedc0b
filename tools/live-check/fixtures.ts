import { createdThread, deletedThread, erasedPatient, threadInfo } from "./bodies.ts";
import { Deviation, NotPlayed } from "./deviation.ts";
import type { Reply, Target } from "./target.ts";

// What several rules need. The first rule that needs it creates it, so that any selection of rules can be played.

interface Thread {
  threadId: string;
  /** When it expired, at its creation. */
  expiresAt: string;
}

/** Creates the patient with a whole record. */
export async function createPatient(target: Target): Promise<string> {
  const reply = await target.call((client, options) => client.createPatient(target.patient.request, options));
  target.hold(reply, 201, target.patient.created);
  target.found.patientId = idIn(reply);
  return target.found.patientId;
}

/** Creates the patient that is corrected and erased. */
export async function createErasable(target: Target): Promise<string> {
  const reply = await postErasable(target);
  target.hold(reply, 201, target.erasable.created);
  target.found.created = reply.body;
  target.found.erasableId = idIn(reply);
  return target.found.erasableId;
}

/** Sends the request that creates the patient that is corrected and erased, always with the same key. */
export function postErasable(target: Target, body: unknown = target.erasable.request): Promise<Reply> {
  return target.raw("POST", "/patients", { body, headers: { "idempotency-key": target.idempotencyKey("patient") } });
}

const idIn = (reply: Reply) => (reply.body as { patient: { id: string } }).patient.id;

/** Erases a patient, and verifies the number of its threads, none of which has messages. */
export async function erase(target: Target, id: string, threads: number): Promise<void> {
  const reply = await target.call((client, options) => client.deletePatient(id, options));
  target.hold(reply, 200, erasedPatient(threads));
}

/** Creates a thread, and verifies that GET returns what POST did. */
export async function openThread(
  target: Target,
  request: { patientId?: string; phone?: string; metadata?: Record<string, unknown> },
  patientId: string | null,
): Promise<Thread> {
  const opened = await target.call((client, options) => client.createThread(request, options));
  target.hold(opened, 201, createdThread);
  const { threadId, messageCount, expiresAt } = opened.body as Thread & { messageCount: number };
  const seen = await target.call((client, options) => client.getThread(threadId, options));
  target.hold(seen, 200, threadInfo({ threadId, patientId, messageCount }));
  if ((seen.body as { thread: { expiresAt: string } }).thread.expiresAt !== expiresAt) {
    throw new Deviation(["thread.expiresAt: expected the time that POST /threads returned"]);
  }
  return { threadId, expiresAt };
}

/** Creates the thread on which the chats take place. */
export async function openLinkedThread(target: Target): Promise<Thread> {
  const id = await patientId(target);
  target.found.thread = await openThread(target, { patientId: id, metadata: { source: "live check" } }, id);
  return target.found.thread;
}

/** Deletes a thread. */
export async function deleteThread(target: Target, threadId: string): Promise<void> {
  target.hold(await target.call((client, options) => client.deleteThread(threadId, options)), 200, deletedThread);
}

/**
 * The id of the patient with a whole record.
 *
 * @throws NotPlayed if it cannot be created, as do the following functions: a rule that only needs it does not fail
 */
export const patientId = (target: Target) => provided(() => target.found.patientId ?? createPatient(target));

/** The id of the patient that is corrected and erased. */
export const erasableId = (target: Target) => provided(() => target.found.erasableId ?? createErasable(target));

/** The id of that patient, once it is erased. */
export const erasedId = (target: Target) =>
  provided(async () => {
    const id = await erasableId(target);
    if (target.openPatients.has(id)) {
      await erase(target, id, 0);
    }
    return id;
  });

/** The thread on which the chats take place. */
export const linkedThread = (target: Target) => provided(() => target.found.thread ?? openLinkedThread(target));

/** The id of that thread, once it is deleted. */
export const deletedThreadId = (target: Target) =>
  provided(async () => {
    const { threadId } = await linkedThread(target);
    if (target.openThreads.has(threadId)) {
      await deleteThread(target, threadId);
    }
    return threadId;
  });

async function provided<T>(create: () => T | Promise<T>): Promise<T> {
  try {
    return await create();
  } catch {
    throw new NotPlayed("what this rule needs could not be created or deleted");
  }
}
