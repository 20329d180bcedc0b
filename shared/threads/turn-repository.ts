import { randomBytes } from "node:crypto";
import { config } from "../config.ts";
import { allOf, anyOf, equals, exists, isAsRead, isMissing } from "../dynamo/expressions.ts";
import { handoffTaskKey, randomSweepShard, sweepAt, threadKey, turnKey } from "../dynamo/keys.ts";
import { readItem } from "../dynamo/query.ts";
import { retries } from "../dynamo/retries.ts";
import { put, putNew, transact, update } from "../dynamo/transact.ts";
import type { NewEvent } from "../events/event.ts";
import { recordEvent } from "../events/outbox.ts";
import type { Opening } from "../opening-hours.ts";
import type { Tenant } from "../tenant.ts";
import type { HandoffReason } from "./handoff-reason.ts";
import { countUnanswered, REQUEST } from "./handoff-repository.ts";
import {
  isStopped,
  type KeyedRequest,
  type KeyState,
  keepReservation,
  putAnswered,
  type Reservation,
  stateOf,
} from "./idempotency-record-repository.ts";
import { messageId, questionPlace } from "./message-id.ts";
import { lifetime, subjectOf, type Thread, type Turn, ttlAt, turnCount, visibleLifetime } from "./thread.ts";
import { keptThread, turnItem, turnOf } from "./thread-items.ts";
import { isKept, linkToPatient } from "./thread-repository.ts";

/** The options of a commit. */
export interface CommitOptions {
  /** The idempotency record that refers to the turn. */
  reservation?: Reservation | undefined;
  /** The request that the turn comes from, if it has a key without a reservation. */
  request?: KeyedRequest | undefined;
  /** The patient the turn is about. A thread without a linked patient is bound to this one from then on. */
  patientId?: string | undefined;
  /** What the turn means for the thread's request for a person. */
  handoff?: HandoffChange | undefined;
  /** The level of the turn's alert, of which clients are told. */
  alertLevel?: NewEvent["level"];
  /** Whether the answer was cut because the turn was stopped. */
  stopped?: boolean | undefined;
}

/** A change of a thread's request for a person. */
export interface HandoffChange {
  /** Tells the user that nobody has taken over in time, which ends the open request. */
  closes: boolean;
  /** Opens a request. */
  opens: HandoffRequest | undefined;
}

interface HandoffRequest {
  reason: HandoffReason;
  /** Until when a person should have taken over, in milliseconds since the epoch. */
  answerBy: number;
  /** Whether the user is told that the care team is informed. */
  promised: boolean;
  /** Whether the clinic is open, for the event; undefined if its hours are not known. */
  opening?: Opening | undefined;
}

/** The result of a commit. The thread is gone if its deletion or its sweep has begun: a commit never recreates it. */
export type Commit =
  | { kind: "committed"; thread: Thread }
  | { kind: "thread-gone" }
  /** A person has taken over since the thread was read, so that no answer of the model is stored. */
  | { kind: "taken-over"; thread: Thread }
  /** The turn was stopped before its answer was stored, so that it is not stored as a whole one. */
  | { kind: "stopped" }
  /** A person's message is only stored while a person holds the thread. */
  | { kind: "not-held" }
  /** Another request with the key was first, perhaps an earlier attempt of the same caller. */
  | { kind: "key-used"; state: KeyState }
  | { kind: "other-patient" }
  | { kind: "patient-erased" };

/**
 * Commits a turn: appends it and updates the thread's count and expiry in one transaction, on condition that the thread
 * is still the one that was read, is not being deleted and has the count that was read. That it has expired since it
 * was read does not matter: the turn began in time. A commit that loses the race for the
 * count is retried with the current count, which the refusal contains, so turns are stored whole and in commit order.
 * Events are recorded in the same transaction.
 *
 * @param thread as it was read
 * @param giveUpAt milliseconds since the epoch
 * @returns the thread after the commit; `other-patient` if it was bound to another patient in the meantime
 * @throws the database's error if it is unreachable or stays busy until `giveUpAt`, or if the reservation was lost
 */
export async function commitTurn(
  tenant: Tenant,
  thread: Thread,
  turn: Turn,
  giveUpAt: number,
  { reservation, request, patientId, handoff, alertLevel, stopped }: CommitOptions = {},
): Promise<Commit> {
  const pause = retries({ until: giveUpAt });
  const commitId = randomBytes(9).toString("base64url");
  const binding = thread.patientId === null ? patientId : undefined;
  // Only the first turn about a patient links the thread. Another chat may do so before the commit.
  const links = binding && thread.boundPatientId === undefined ? linkToPatient(tenant, thread, binding) : undefined;
  const byPerson = turn.author !== undefined;
  const isWhole = !byPerson && !turn.held && !stopped;
  let current = thread;
  let at = 0;
  const actions = () => {
    at = Date.now();
    const number = turnCount(current);
    const { messageCount } = counted(current, turn);
    return {
      thread: updateThread(tenant, current, turn, thread.holds, { binding, handoff }, at),
      turn: putNew(config.threadsTable, { ...turnItem(tenant, thread, number, turn, at), messageCount, commitId }),
      reservation: reservation && keepReservation(tenant, thread, reservation, number, isWhole),
      request: request && putAnswered(tenant, thread, request, number, at),
      events: eventsOf(current, turn, { patientId: binding, handoff, alertLevel }, at).map((event) =>
        recordEvent(tenant, event, at),
      ),
      task: handoff?.opens && putHandoffTask(tenant, thread, handoff.opens),
      ...links,
    };
  };
  for (;;) {
    const refusal = await transact(actions, pause);
    const storedAt = refusal?.uncertain ? await commitTime(tenant, thread, turnCount(current), commitId) : undefined;
    if (!refusal || storedAt !== undefined) {
      if (reportsUnanswered(current, handoff)) {
        countUnanswered(current);
      }
      const times = visibleLifetime(storedAt ?? at, config.clock);
      return { kind: "committed", thread: { ...current, ...counted(current, turn), ...times } };
    }
    const { failed } = refusal;
    if (failed.request) {
      return { kind: "key-used", state: stateOf(failed.request.item, at) };
    }
    if (!failed.thread && failed.patient) {
      return { kind: "patient-erased" };
    }
    const record = failed.reservation?.item;
    if (!failed.thread && isWhole && isStopped(record) && record?.holder === reservation?.holder) {
      return { kind: "stopped" };
    }
    if (!failed.thread) {
      throw refusal.error; // the reservation was taken over after its lease expired
    }
    const read = keptThread(failed.thread.item);
    if (read?.generation !== thread.generation) {
      return { kind: "thread-gone" };
    }
    current = read;
    if (byPerson && !current.hold) {
      return { kind: "not-held" };
    }
    if (turn.author === undefined && !turn.held && current.holds !== thread.holds) {
      return { kind: "taken-over", thread: current };
    }
    if (binding && (current.boundPatientId ?? binding) !== binding) {
      return { kind: "other-patient" };
    }
    await pause(refusal.error);
  }
}

/** The thread's counts after a turn. */
function counted({ messageCount, personMessages = 0 }: Thread, { author }: Turn) {
  return author === undefined
    ? { messageCount: messageCount + 2, personMessages: personMessages || undefined }
    : { messageCount: messageCount + 1, personMessages: personMessages + 1 };
}

/** A turn as stored. */
export type StoredTurn = Turn & {
  /** The number of messages that the thread had after it. */
  messageCount: number;
  /** The time of its commit, as ISO 8601. */
  at: string;
};

/** @returns a turn by its number, with what was stored for a replay */
export async function readTurn(tenant: Tenant, thread: Thread, number: number): Promise<StoredTurn | undefined> {
  const item = await readTurnItem(tenant, thread, number);
  return (
    item && {
      ...turnOf(item),
      messageCount: Number(item.messageCount ?? 2 * (number + 1)),
      at: String(item.at),
    }
  );
}

/**
 * @param commitId identifies the turn of a commit whose response was lost
 * @returns the time of the commit, in milliseconds since the epoch; undefined if it is the turn of another commit
 */
async function commitTime(
  tenant: Tenant,
  thread: Thread,
  number: number,
  commitId: string,
): Promise<number | undefined> {
  const item = await readTurnItem(tenant, thread, number);
  return item?.commitId === commitId ? Date.parse(String(item.at)) : undefined;
}

function readTurnItem(tenant: Tenant, { threadId, generation }: Thread, number: number) {
  return readItem(config.threadsTable, turnKey(tenant, threadId, generation, number));
}

/** Returns the events that a turn causes, if it is the next one of the thread. */
function eventsOf(
  thread: Thread,
  turn: Turn,
  { patientId, handoff, alertLevel }: CommitOptions,
  now: number,
): NewEvent[] {
  const subject = subjectOf(thread);
  const event = {
    ...subject,
    patientId: subject.patientId ?? patientId,
    messageId: messageId(thread, questionPlace(turnCount(thread))),
    expiresAt: visibleLifetime(now, config.clock).expiresAt,
  };
  return [
    ...(alertLevel ? [{ ...event, type: "safety.alert" as const, level: alertLevel }] : []),
    ...(reportsUnanswered(thread, handoff) ? [{ ...event, type: "handoff.unanswered" as const }] : []),
    ...(handoff?.opens
      ? [{ ...event, type: "handoff.requested" as const, level: alertLevel, ...openingOf(handoff.opens) }]
      : []),
    ...(turn.author === undefined && turn.held ? [{ ...event, type: "message.created" as const }] : []),
  ];
}

function openingOf({ opening }: HandoffRequest): Pick<NewEvent, "open" | "opensAt"> {
  const opensAt = opening?.isOpen === false ? opening.opensAt : undefined;
  return { open: opening?.isOpen, opensAt: opensAt === undefined ? undefined : new Date(opensAt).toISOString() };
}

/** Whether a turn is the first to find that nobody has answered the open request in time; otherwise, a sweep was. */
function reportsUnanswered({ unanswered }: Thread, handoff: HandoffChange | undefined): boolean {
  return handoff?.closes === true && !unanswered;
}

/** The sweep finds the task at the time when somebody should have taken over. The commit counts it in `version`. */
function putHandoffTask(tenant: Tenant, { threadId, generation }: Thread, { answerBy }: HandoffRequest) {
  return put(config.threadsTable, {
    ...handoffTaskKey(tenant, threadId, generation),
    sweepAt: sweepAt(answerBy, config.clock),
    sweepShard: randomSweepShard(),
    ttl: ttlAt(answerBy),
  });
}

/**
 * Updates a thread's count and times. `version` counts the writes to the partition, for deletions.
 *
 * @param holds the thread's, when the model was asked
 */
function updateThread(
  tenant: Tenant,
  thread: Thread,
  turn: Turn,
  holds: number | undefined,
  { binding, handoff }: { binding: string | undefined; handoff: HandoffChange | undefined },
  now: number,
) {
  const { opens, closes = false } = handoff ?? {};
  const byPerson = turn.author !== undefined;
  const set = {
    ...counted(thread, turn),
    ...lifetime(now, config.clock),
    boundPatientId: binding,
    alerted: !byPerson && turn.alert !== undefined ? true : undefined,
    ...(opens && {
      requestReason: opens.reason,
      requestedAt: new Date(now).toISOString(),
      answerBy: new Date(opens.answerBy).toISOString(),
      promised: opens.promised,
    }),
  };
  const remove = [...(opens || closes ? ["unanswered"] : []), ...(closes && !opens ? REQUEST : [])];
  const condition = allOf(
    equals("generation", thread.generation),
    equals("messageCount", thread.messageCount),
    isKept,
    binding === undefined ? undefined : anyOf(isMissing("boundPatientId"), equals("boundPatientId", binding)),
    byPerson ? exists("heldSince") : undefined,
    byPerson || turn.held ? undefined : isAsRead("holds", holds),
    closes ? allOf(isAsRead("answerBy", thread.answerBy), isAsRead("unanswered", thread.unanswered)) : undefined,
  );
  return update(
    config.threadsTable,
    threadKey(tenant, thread.threadId),
    { add: { version: 1 }, set, remove },
    condition,
  );
}
