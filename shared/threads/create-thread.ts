import { randomInt } from "node:crypto";
import { ulid } from "ulid";
import { buildPrompt, clinicalFacts, openingRequest } from "../chat/prompt.ts";
import { config } from "../config.ts";
import { annotate, logError } from "../logger.ts";
import { count } from "../metrics.ts";
import { findAnswer } from "../model/answer.ts";
import { findPatient } from "../patients/find-patient.ts";
import type { Patient } from "../patients/patient.ts";
import { lifetime, type Thread, type Turn } from "./thread.ts";
import { insertThread } from "./thread-repository.ts";
import type { CreateThreadRequest, CreateThreadResponse } from "./thread-schemas.ts";

/** Ids tried before giving up. With the id space 90 % full, all of these are taken once in 8 creations. */
const ID_ATTEMPTS = 20;

/** How long the opening question may take; it is a courtesy, and the thread is what was asked for. */
const OPENING_MILLISECONDS = 5_000;

/**
 * `POST /threads`: opens a thread, linked to the patient of `patientId` or `phone` if there is one.
 *
 * @throws ServiceError `not-found` when `patientId` matches no patient; an Error when no free id was found
 */
export async function createThread(request: CreateThreadRequest): Promise<CreateThreadResponse> {
  const patient = await findPatient(request);
  const opening = patient && (await openingTurn(patient));
  const thread = await insertUnderFreeId(patient, request.metadata, opening);
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

/** An opening question, when the record lacks age or gender. Without the model the thread begins without it. */
async function openingTurn(patient: Patient): Promise<Turn | undefined> {
  const question = openingRequest(patient);
  if (!question) {
    return undefined;
  }
  try {
    const facts = clinicalFacts(patient, undefined);
    const { prompt } = buildPrompt(facts, [], question, undefined, config.modelLimits.contextTokens);
    return { question, answer: await findAnswer(prompt, OPENING_MILLISECONDS) };
  } catch {
    annotate({ openingQuestion: "failed" }); // why is logged where it failed
    return undefined;
  }
}

/** Ids are random, 10000 to 99999, and put on condition that they are free. */
async function insertUnderFreeId(
  patient: Patient | undefined,
  metadata: CreateThreadRequest["metadata"],
  opening: Turn | undefined,
): Promise<Thread> {
  for (let attempt = 1; attempt <= ID_ATTEMPTS; attempt++) {
    const now = Date.now();
    const { lastActivity, expiresAt } = lifetime(now, config.clock);
    const thread: Thread = {
      threadId: String(randomInt(10_000, 100_000)),
      generation: ulid(now, randomFraction),
      patientId: patient?.id ?? null,
      messageCount: opening ? 2 : 0,
      createdAt: lastActivity,
      lastActivity,
      expiresAt,
      metadata,
    };
    if (await insertThread(thread, opening)) {
      count("ThreadsCreated", 1);
      count("ThreadIdTries", attempt); // 1 / (1 - p) on average, where p of all ids are taken
      return thread;
    }
  }
  logError("thread-ids-exhausted", { attempts: ID_ATTEMPTS });
  count("ThreadIdsExhausted", 1);
  throw new Error("no free thread id was found");
}

/** For `ulid`, which asks for one of 32 characters at a time; Node's `randomInt` has its random bytes in store. */
function randomFraction(): number {
  return randomInt(32) / 32;
}

function usage(thread: Thread): string {
  return (
    `Thread created. Send messages with POST /chat and threadId ${thread.threadId}; the last 20 messages are the ` +
    "assistant's context. The thread is deleted for good after 30 minutes without a message. " +
    "Answers come from an AI, which is no substitute for medical care."
  );
}
