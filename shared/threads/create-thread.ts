import { randomInt } from "node:crypto";
import { ulid } from "ulid";
import type { Clinic } from "../clinic.ts";
import { config } from "../config.ts";
import type { Result } from "../contract/endpoint.ts";
import { threadDisclosure } from "../disclosure/disclosure.ts";
import { ServiceError } from "../errors.ts";
import { type CreationRequest, creationRequest, readCreation } from "../idempotency/creation-record-repository.ts";
import { logError } from "../observability/logger.ts";
import { count } from "../observability/metrics.ts";
import { findPatient } from "../patients/find-patient.ts";
import { PATIENT_UNKNOWN, type Patient } from "../patients/patient.ts";
import { normalizePhone, phoneRule } from "../patients/phone.ts";
import { clinicFor } from "../profile/load-clinic.ts";
import type { CallerContext } from "../request/request-context.ts";
import { textOf } from "./answer-parts.ts";
import type { CreateThreadRequest } from "./create-thread-request.ts";
import { CONTEXT_MESSAGES, type Exchange, idleTime, type Thread, visibleLifetime } from "./thread.ts";
import { randomThreadId } from "./thread-id.ts";
import { insertThread } from "./thread-repository.ts";
import type { CreateThreadResponse } from "./thread-responses.ts";

/** The number of ids tried before giving up. With 90% of all ids taken, one call in 8 finds no free one. */
const ID_ATTEMPTS = 20;

/** The inputs of a request besides its body. */
export interface CreateThreadOptions {
  /** Creates the first turn of a thread with a patient, if it needs one. Must not fail. */
  openingTurn: (context: CallerContext, patient: Patient) => Promise<Exchange | undefined>;
  /** The request header, for the disclosure in `message`. */
  acceptLanguage?: string | undefined;
  /** A hash. A retry gets the stored response. */
  idempotencyKey?: string | undefined;
}

/**
 * `POST /threads`: opens a thread, linked to the patient with `patientId` or `phone`, if there is one.
 *
 * @throws ServiceError `not-found` if `patientId` matches no patient; `unprocessable` if the key was used with another
 *   body; Error if no free id was found
 */
export async function createThread(
  context: CallerContext,
  body: CreateThreadRequest,
  { openingTurn, acceptLanguage, idempotencyKey }: CreateThreadOptions,
): Promise<Result<CreateThreadResponse>> {
  const { caller, log } = context;
  const request = creationRequest(caller, idempotencyKey, body);
  for (;;) {
    const stored = request && (await readCreation(request));
    if (stored) {
      context.models = stored.models ?? [];
      context.phoneLookup = stored.phoneLookup;
      return { body: stored.body as CreateThreadResponse, replayed: true };
    }
    const patient = await findPatient(context, body);
    const opening = patient && (await openingTurn(context, patient));
    const response = await insertUnderFreeId(
      context,
      await clinicFor(context),
      body,
      acceptLanguage,
      patient,
      opening,
      request,
    );
    if (response) {
      Object.assign(log, { threadId: response.threadId, patientId: patient?.id });
      return { body: response };
    }
  }
}

/**
 * Stores a thread under a random id, on condition that the id is free.
 *
 * @returns undefined if another request with the idempotency key has created a thread in the meantime
 */
async function insertUnderFreeId(
  { caller: { client, tenant, quotas }, models, phoneLookup }: CallerContext,
  clinic: Clinic,
  body: CreateThreadRequest,
  acceptLanguage: string | undefined,
  patient: Patient | undefined,
  opening: Exchange | undefined,
  request: CreationRequest | undefined,
): Promise<CreateThreadResponse | undefined> {
  const disclosure = threadDisclosure(clinic, acceptLanguage);
  for (let attempt = 1; attempt <= ID_ATTEMPTS; attempt++) {
    const now = Date.now();
    const { lastActivity, expiresAt } = visibleLifetime(now, config.clock);
    const thread: Thread = {
      threadId: randomThreadId(),
      generation: ulid(now, randomFraction),
      patientId: patient?.id ?? null,
      messageCount: opening ? 2 : 0,
      createdAt: lastActivity,
      lastActivity,
      expiresAt,
      metadata: body.metadata,
      countedFor: quotas?.liveThreads === undefined ? undefined : client,
    };
    const response: CreateThreadResponse = {
      success: true,
      threadId: thread.threadId,
      initialMessage: opening && textOf(opening.parts),
      expiresAt,
      messageCount: thread.messageCount,
      message: `${linking(body, patient)} ${usage(thread)} ${disclosure}`,
      disclosure: body.include?.includes("disclosure") ? disclosure : undefined,
    };
    const creation = request && { request, response: { body: response, models, phoneLookup } };
    const inserted = await insertThread(tenant, thread, { opening, creation });
    switch (inserted.kind) {
      case "inserted":
        count("ThreadIdTries", attempt); // 1 / (1 - p) on average, where p is the share of ids that are taken
        return response;
      case "key-used":
        return undefined;
      case "patient-erased":
        throw new ServiceError("not-found", PATIENT_UNKNOWN);
    }
  }
  logError("thread-ids-exhausted", { attempts: ID_ATTEMPTS, tenant });
  count("ThreadIdsExhausted", 1);
  throw new Error("no free thread id was found");
}

/** For `ulid`, which requests one of 32 characters at a time. Node's `randomInt` buffers random bytes. */
function randomFraction(): number {
  return randomInt(32) / 32;
}

/** States whether a patient was found, because a mistyped phone number would otherwise go unnoticed. */
function linking({ phone }: CreateThreadRequest, patient: Patient | undefined): string {
  if (patient) {
    return "Thread created and linked to a patient.";
  }
  if (phone === undefined) {
    return "Thread created without a patient.";
  }
  return normalizePhone(phone)
    ? "Thread created without a patient: no patient has this phone number."
    : `Thread created without a patient: phone is not usable, because it ${phoneRule()}.`;
}

function usage({ threadId }: Thread): string {
  return (
    `Send messages with POST /chat and threadId ${threadId}; the last ${CONTEXT_MESSAGES} messages are the assistant's ` +
    `context. The thread is permanently deleted after ${idleTime(config.clock.idleSeconds)} without a message.`
  );
}
