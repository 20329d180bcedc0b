import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ServiceError } from "../errors.ts";
import { bodyHash, KEY_REUSED } from "../idempotency.ts";
import type { Tenant } from "../tenant.ts";
import {
  type Reservation,
  type Reserving,
  readKeyState,
  release,
  reserve,
} from "../threads/idempotency-record-repository.ts";
import type { Thread } from "../threads/thread.ts";
import { readTurn } from "../threads/turn-repository.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { SafetyReport } from "./reply.ts";

/** The interval at which a retry checks whether the first request has finished. */
const POLL_MILLISECONDS = 200;

/** The response to an earlier request with the same key. */
export interface Replay {
  answer: string;
  /** The thread's message count after it. */
  messageCount: number;
  /** The safety findings, if the request asked for them. */
  report?: SafetyReport | undefined;
}

/** The next step of a request with an idempotency key: continue under a reservation, or replay the stored answer. */
export type ReservedKey =
  | { kind: "reserved"; reservation: Reservation; waited: boolean }
  | { kind: "thread-gone" }
  | ({ kind: "answered" } & Replay);

/**
 * Reserves an idempotency key for a request on a thread. While another request with the key is running, it waits: if that
 * request succeeds, both return its answer; if it fails, this request takes over.
 *
 * @param key as a hash
 * @param leaseUntil when this invocation ends at the latest, in milliseconds since the epoch
 * @param giveUpAt how long to wait for another request
 * @throws ServiceError `unprocessable` if the key was used with another body before; `conflict` if the other request is
 *   still running at `giveUpAt`
 */
export async function reserveKey(
  tenant: Tenant,
  thread: Thread,
  request: ChatRequest,
  key: string,
  leaseUntil: number,
  giveUpAt: number,
): Promise<ReservedKey> {
  const reservation: Reservation = { key, bodyHash: bodyHash(request), holder: randomUUID(), leaseUntil };
  for (let waited = false; ; waited = true) {
    let state = await reserveOrRelease(tenant, thread, reservation);
    if (state.kind === "reserved") {
      return { kind: "reserved", reservation, waited };
    }
    while (state.kind === "pending" && state.bodyHash === reservation.bodyHash) {
      if (Date.now() > giveUpAt) {
        throw new ServiceError("conflict", "A request with this Idempotency-Key is still being processed");
      }
      await setTimeout(POLL_MILLISECONDS);
      state = await readKeyState(tenant, thread, key);
    }
    if (state.kind === "thread-gone") {
      return state;
    }
    if (state.kind !== "free" && state.bodyHash !== reservation.bodyHash) {
      throw new ServiceError("unprocessable", KEY_REUSED);
    }
    if (state.kind === "answered") {
      return replay(tenant, thread, state.turnNumber);
    }
  }
}

/**
 * Releases a reservation whose response was lost, so that the caller's retry does not wait for a request that has
 * ended.
 */
async function reserveOrRelease(tenant: Tenant, thread: Thread, reservation: Reservation): Promise<Reserving> {
  try {
    return await reserve(tenant, thread, reservation);
  } catch (error) {
    await release(tenant, thread, reservation).catch(() => {}); // the lease expires by itself
    throw error;
  }
}

async function replay(tenant: Tenant, thread: Thread, turnNumber: number): Promise<ReservedKey> {
  const turn = await readTurn(tenant, thread, turnNumber);
  if (!turn) {
    return { kind: "thread-gone" };
  }
  return {
    kind: "answered",
    answer: turn.answer,
    messageCount: (turnNumber + 1) * 2,
    report: turn.replay as SafetyReport | undefined,
  };
}
