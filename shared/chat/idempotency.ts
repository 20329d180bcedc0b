import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ServiceError } from "../errors.ts";
import { bodyHash, KEY_IN_USE, KEY_REUSED } from "../idempotency/idempotency.ts";
import type { CallerContext } from "../request/request-context.ts";
import type { Tenant } from "../tenant.ts";
import {
  type Reservation,
  type Reserving,
  readKeyState,
  release,
  reserve,
} from "../threads/idempotency-record-repository.ts";
import { type Exchange, THREAD_GONE, type Thread } from "../threads/thread.ts";
import type { Conversation } from "../threads/thread-repository.ts";
import { readTurn } from "../threads/turn-repository.ts";
import { COMMIT_RESERVE_MILLISECONDS } from "../time-limits.ts";
import type { ChatRequest } from "./chat-request.ts";

/** The interval at which a retry checks whether the first request has finished. */
const POLL_MILLISECONDS = 200;

/** The response to an earlier request with the same key. */
export interface Replay {
  kind: "replay";
  turn: Exchange;
  /** The thread, with the message count after it. */
  thread: Thread;
}

/**
 * Reserves an idempotency key for a request on a thread. While another request with the key is running, it waits, as
 * long as there is time for a commit afterward: if that request succeeds, both return its answer; if it fails, this
 * request takes over.
 *
 * @param key as a hash
 * @throws ServiceError `not-found` if the thread no longer exists; `unprocessable` if the key was used with another
 *   body before; `conflict` if the other request is still running
 */
export async function reserveKey(
  { caller: { tenant }, deadline }: CallerContext,
  thread: Thread,
  request: ChatRequest,
  key: string,
): Promise<{ kind: "reserved"; reservation: Reservation; waited: boolean } | Replay> {
  const reservation: Reservation = { key, bodyHash: bodyHash(request), holder: randomUUID(), leaseUntil: deadline };
  for (let waited = false; ; waited = true) {
    let state = await reserveOrRelease(tenant, thread, reservation);
    if (state.kind === "reserved") {
      return { kind: "reserved", reservation, waited };
    }
    while (state.kind === "pending" && state.bodyHash === reservation.bodyHash) {
      if (Date.now() > deadline - COMMIT_RESERVE_MILLISECONDS) {
        throw new ServiceError("conflict", KEY_IN_USE);
      }
      await setTimeout(POLL_MILLISECONDS);
      state = await readKeyState(tenant, thread, key);
    }
    if (state.kind === "thread-gone") {
      throw new ServiceError("not-found", THREAD_GONE);
    }
    if (state.kind !== "free" && state.bodyHash !== reservation.bodyHash) {
      throw new ServiceError("unprocessable", KEY_REUSED);
    }
    if (state.kind === "answered") {
      return readReplay(tenant, thread, state.turnNumber);
    }
  }
}

/** Releases the key of a chat whose turn was not committed. If that fails, the lease expires. */
export async function releaseKey(
  { caller }: CallerContext,
  { conversation, reservation }: { conversation?: Conversation; reservation?: Reservation },
): Promise<void> {
  if (conversation && reservation) {
    await release(caller.tenant, conversation.thread, reservation).catch(() => {});
  }
}

/** Releases a reservation whose response was lost, so that a retry does not wait for a request that has ended. */
async function reserveOrRelease(tenant: Tenant, thread: Thread, reservation: Reservation): Promise<Reserving> {
  try {
    return await reserve(tenant, thread, reservation);
  } catch (error) {
    await release(tenant, thread, reservation).catch(() => {}); // the lease expires by itself
    throw error;
  }
}

async function readReplay(tenant: Tenant, thread: Thread, turnNumber: number): Promise<Replay> {
  const turn = await readTurn(tenant, thread, turnNumber);
  if (turn?.author !== undefined || !turn) {
    throw new ServiceError("not-found", THREAD_GONE);
  }
  const { messageCount } = turn;
  const personMessages = 2 * (turnNumber + 1) - messageCount;
  return { kind: "replay", turn, thread: { ...thread, messageCount, personMessages } };
}
