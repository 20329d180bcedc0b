import { randomInt } from "node:crypto";
import { ulid } from "ulid";
import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { annotate, logError } from "../logger.ts";
import { count } from "../metrics.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { CONTEXT_MESSAGES, idleTime, lifetime, type Thread, type Turn } from "./thread.ts";
import { randomThreadId } from "./thread-id.ts";
import { insertThread } from "./thread-repository.ts";
import type { CreateThreadRequest, CreateThreadResponse } from "./thread-schemas.ts";

/** Ids tried before giving up. With 90% of all ids taken, one call in 8 finds no free one. */
const ID_ATTEMPTS = 20;

/**
 * `POST /threads`: opens a thread, linked to the patient with `patientId` or `phone`, if there is one.
 *
 * @param openingTurn creates the first turn of a thread with a patient, if it should have one; must not fail
 * @throws ServiceError `not-found` if `patientId` matches no patient; Error if no free id was found
 */
export async function createThread(
  caller: Caller,
  request: CreateThreadRequest,
  openingTurn: (caller: Caller, patient: Patient) => Promise<Turn | undefined>,
): Promise<CreateThreadResponse> {
  const patient = await findPatient(caller, request);
  const opening = patient && (await openingTurn(caller, patient));
  const thread = await insertUnderFreeId(caller, patient, request.metadata, opening);
  annotate({ threadId: thread.threadId, patientId: patient?.id });
  return {
    success: true,
    threadId: thread.threadId,
    initialMessage: opening?.answer,
    expiresAt: thread.expiresAt,
    messageCount: thread.messageCount,
    message: usage(thread),
  };
}

/** Ids are random and written on the condition that they are free. */
async function insertUnderFreeId(
  { client, tenant, quotas }: Caller,
  patient: Patient | undefined,
  metadata: CreateThreadRequest["metadata"],
  opening: Turn | undefined,
): Promise<Thread> {
  for (let attempt = 1; attempt <= ID_ATTEMPTS; attempt++) {
    const now = Date.now();
    const { lastActivity, expiresAt } = lifetime(now, config.clock);
    const thread: Thread = {
      threadId: randomThreadId(),
      generation: ulid(now, randomFraction),
      patientId: patient?.id ?? null,
      messageCount: opening ? 2 : 0,
      createdAt: lastActivity,
      lastActivity,
      expiresAt,
      metadata,
      countedFor: quotas?.liveThreads === undefined ? undefined : client,
    };
    if (await insertThread(tenant, thread, opening)) {
      count("ThreadsCreated", 1);
      count("ThreadIdTries", attempt); // 1 / (1 - p) on average, where p is the share of ids that are taken
      return thread;
    }
  }
  logError("thread-ids-exhausted", { attempts: ID_ATTEMPTS, tenant });
  count("ThreadIdsExhausted", 1);
  throw new Error("no free thread id was found");
}

/** For `ulid`, which asks for one of 32 characters at a time; Node's `randomInt` keeps a supply of random bytes. */
function randomFraction(): number {
  return randomInt(32) / 32;
}

function usage({ threadId }: Thread): string {
  return (
    `Thread created. Send messages with POST /chat and threadId ${threadId}; the last ${CONTEXT_MESSAGES} messages are ` +
    `the assistant's context. The thread is permanently deleted after ${idleTime(config.clock.idleSeconds)} without a ` +
    "message. Answers come from an AI and are no substitute for medical care."
  );
}
