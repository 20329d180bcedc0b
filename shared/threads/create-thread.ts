import { randomInt } from "node:crypto";
import { ulid } from "ulid";
import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { threadDisclosure } from "../disclosure.ts";
import { annotate, logError } from "../logger.ts";
import { count } from "../metrics.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { normalizePhone, PHONE_RULE } from "../patients/phone.ts";
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
 * @param acceptLanguage the request's header, for the disclosure in `message`
 * @throws ServiceError `not-found` if `patientId` matches no patient; Error if no free id was found
 */
export async function createThread(
  caller: Caller,
  request: CreateThreadRequest,
  openingTurn: (caller: Caller, patient: Patient) => Promise<Turn | undefined>,
  acceptLanguage?: string | undefined,
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
    message: `${linking(request, patient)} ${usage(thread)} ${threadDisclosure(acceptLanguage)}`,
  };
}

/** Ids are random and written on the condition that they are free. */
async function insertUnderFreeId(
  { tenant }: Caller,
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
    };
    if (await insertThread(tenant, thread, opening)) {
      count("ThreadsCreated", 1);
      count("ThreadIdTries", attempt); // 1 / (1 - p) on average, where p is the share of ids that are taken
      return thread;
    }
  }
  logError("thread-ids-exhausted", { attempts: ID_ATTEMPTS });
  count("ThreadIdsExhausted", 1);
  throw new Error("no free thread id was found");
}

/** For `ulid`, which asks for one of 32 characters at a time; Node's `randomInt` keeps a supply of random bytes. */
function randomFraction(): number {
  return randomInt(32) / 32;
}

/** Says whether a patient was found: a mistyped phone number would otherwise pass unnoticed. */
function linking({ phone }: CreateThreadRequest, patient: Patient | undefined): string {
  if (patient) {
    return "Thread created and linked to a patient.";
  }
  if (phone === undefined) {
    return "Thread created without a patient.";
  }
  return normalizePhone(phone)
    ? "Thread created without a patient: no patient has this phone number."
    : `Thread created without a patient: phone is not usable, because it ${PHONE_RULE}.`;
}

function usage({ threadId }: Thread): string {
  return (
    `Send messages with POST /chat and threadId ${threadId}; the last ${CONTEXT_MESSAGES} messages are the assistant's ` +
    `context. The thread is permanently deleted after ${idleTime(config.clock.idleSeconds)} without a message.`
  );
}
