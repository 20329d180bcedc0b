import { chat as chatWith } from "../../../shared/chat/chat.ts";
import { openingTurn } from "../../../shared/chat/opening-question.ts";
import { dynamo } from "../../../shared/dynamo/client.ts";
import { deliverEvents } from "../../../shared/events/deliver-events.ts";
import { recordEvent } from "../../../shared/events/outbox.ts";
import { giveFeedback } from "../../../shared/feedback/give-feedback.ts";
import { createPatient } from "../../../shared/patients/create-patient.ts";
import { getPatient } from "../../../shared/patients/get-patient.ts";
import { loadTenantState } from "../../../shared/profile/load-clinic.ts";
import { admit, settle } from "../../../shared/quotas/admission.ts";
import type { Quotas } from "../../../shared/request/quota-limits.ts";
import { createThread } from "../../../shared/threads/create-thread.ts";
import { deleteThread } from "../../../shared/threads/delete-thread.ts";
import { getThread } from "../../../shared/threads/get-thread.ts";
import { SWEEP_INTERVAL_SECONDS } from "../../../shared/threads/thread.ts";
import { removeExpired } from "../../../shared/threads/thread-removal-repository.ts";
import { CALLER, newContext, TENANT } from "../caller.ts";
import { ANSWER, QUESTION, storedThread } from "../database/stored-thread.ts";
import { type DatabaseUsage, watchDatabase } from "../database/usage.ts";
import type { TestEnvironment } from "./in-process.ts";

const MINUTE = 60_000;

/** The database usage of each operation. */
export type Usages = Awaited<ReturnType<typeof measureOperations>>;
export type Operation = keyof Usages;

/** Runs each operation's use case once against the embedded database and measures its database usage. */
export async function measureOperations({ model, variables, seed }: TestEnvironment) {
  model.script = () => ({ content: ANSWER });
  keepExpiryBetweenSweeps(Number(variables.THREAD_IDLE_SECONDS));
  const chat = (threadId?: string, idempotencyKey?: string) =>
    chatWith(newContext(), { message: QUESTION, threadId }, { idempotencyKey });
  /** As in the pipeline: counts in parallel, and settles once the response has been sent. */
  const limitedChat = async (threadId: string, quotas: Quotas) => {
    const context = newContext({ ...CALLER, quotas });
    const admission = admit(context, ["concurrentChats", "tokensPerDay"]);
    context.admission = admission;
    await chatWith(context, { message: QUESTION, threadId });
    if (admission) {
      await settle(context.caller, await admission, 500, true);
    }
  };
  let nextId = 0;
  const storeThread = async (patientId: string | null = null, minutesAgo = 0): Promise<string> => {
    const threadId = String(nextId++).padStart(5, "0");
    await seed(storedThread(TENANT, threadId, Date.now() - minutesAgo * MINUTE, patientId));
    return threadId;
  };
  const record = {
    name: "A Patient",
    phone_number: "555 000 0001",
    age: 34,
    gender: "female",
    conditions: ["a condition"],
    medications: [{ name: "a medicine", dosage: "1 mg", frequency: "daily" }],
    allergies: "an allergy",
  };
  const { id: patientId } = (await createPatient(newContext(), record)).body.patient;

  const plain = await storeThread();
  const older = await storeThread(null, SWEEP_INTERVAL_SECONDS / 60 + 1);
  const linked = await storeThread(patientId);
  const keyed = await storeThread();
  const [limited, allLimited] = [await storeThread(), await storeThread()];
  const unwanted = await storeThread();
  const expired = await storeThread(null, 60);
  const rated = await storeThread();
  const { ids } = await chatWith(newContext(), { message: QUESTION, threadId: rated, include: ["ids"] });
  const comment = "c".repeat(80);
  const { Put: event } = recordEvent(TENANT, { type: "thread.expired", threadId: expired }, Date.now());
  await seed([event?.Item ?? {}], "EVENTS_TABLE");
  const { pk, sk } = event?.Item ?? {};
  const operations = {
    "delivery of an event that no webhook wants": () => deliverEvents(() => 2 * MINUTE, [{ pk, sk }]),
    "delivery, nothing due": () => deliverEvents(() => 2 * MINUTE, "schedule"),
    "chat without a thread": () => chat(),
    "chat on a thread": () => chat(plain),
    "chat on a thread, expiry crosses a sweep": () => chat(older),
    "chat on a thread with linked patient": () => chat(linked),
    "chat on a thread with Idempotency-Key": () => chat(keyed, "k".repeat(64)),
    "chat on a thread with a quota of requests": () => limitedChat(limited, { requestsPerMinute: 10 }),
    "chat on a thread with all quotas": () =>
      limitedChat(allLimited, { requestsPerMinute: 10, concurrentChats: 10, tokensPerDay: 1_000, liveThreads: 10 }),
    "thread create": () => createThread(newContext(), {}, { openingTurn }),
    "thread create with patient": () => createThread(newContext(), { patientId }, { openingTurn }),
    "thread read": () => getThread(newContext(), plain),
    "thread delete": () => deleteThread(newContext(), unwanted),
    "patient create": () => createPatient(newContext(), { ...record, phone_number: "555 000 0002" }),
    "patient create, number taken": () => createPatient(newContext(), record).catch(expectConflict),
    "patient read": () => getPatient(newContext(), patientId),
    "feedback on an answer": () =>
      giveFeedback(newContext(), rated, ids?.assistant ?? "", {
        rating: "bad",
        reasons: ["unclear"],
        comment,
      }),
    "sweep, per expired thread": () => Promise.all(removeExpired([{ tenant: TENANT, threadId: expired }])),
  };
  await loadTenantState(TENANT); // remembered for the seconds that all of this takes
  const usage = watchDatabase(dynamo);
  const usages = {} as Record<keyof typeof operations, DatabaseUsage>;
  for (const [name, operation] of Object.entries(operations)) {
    await operation();
    usages[name as keyof typeof operations] = usage();
  }
  return usages;
}

/**
 * Adjusts the idle time so that a thread used now expires halfway between two sweeps. Otherwise, the time that the
 * measurement takes could make a turn's expiry cross a sweep.
 */
function keepExpiryBetweenSweeps(idleSeconds: number): void {
  const expiry = Math.floor(Date.now() / 1000) + idleSeconds;
  const sinceSweep = expiry % SWEEP_INTERVAL_SECONDS;
  process.env.THREAD_IDLE_SECONDS = String(idleSeconds + SWEEP_INTERVAL_SECONDS / 2 - sinceSweep);
}

function expectConflict(error: unknown): void {
  if ((error as { kind?: string }).kind !== "conflict") {
    throw error;
  }
}
