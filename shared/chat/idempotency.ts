import { createHash, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ServiceError } from "../errors.ts";
import { type Reservation, readKeyState, reserve } from "../threads/reservation-repository.ts";
import type { Thread } from "../threads/thread.ts";
import { readTurn } from "../threads/thread-repository.ts";
import type { ChatRequest } from "./chat-schemas.ts";

/** How often a retry checks whether the first request has finished. */
const POLL_MILLISECONDS = 200;

/** What a request with an idempotency key has to do: continue under a reservation, or return the stored answer. */
export type ReservedKey =
  | { kind: "reserved"; reservation: Reservation; waited: boolean }
  | { kind: "answered"; answer: string; messageCount: number };

/**
 * Reserves an idempotency key for a request on a thread. While another request with the key is running, it waits: if that
 * request succeeds, its answer is this one's too; if it fails, this one takes its place.
 *
 * @param key as a hash
 * @param leaseUntil when this invocation will have ended, in milliseconds since the epoch
 * @param giveUpAt how long to wait for another request
 * @returns undefined if the thread is gone
 * @throws ServiceError `unprocessable` if the key was used with another body before; `conflict` if the other request is
 *   still running at `giveUpAt`
 */
export async function reserveKey(
  thread: Thread,
  request: ChatRequest,
  key: string,
  leaseUntil: number,
  giveUpAt: number,
): Promise<ReservedKey | undefined> {
  const reservation: Reservation = { key, bodyHash: hashOf(request), holder: randomUUID(), leaseUntil };
  for (let waited = false; ; waited = true) {
    let state = await reserve(thread, reservation);
    if (state?.kind === "free") {
      return { kind: "reserved", reservation, waited };
    }
    while (state?.kind === "pending" && state.bodyHash === reservation.bodyHash) {
      if (Date.now() > giveUpAt) {
        throw new ServiceError("conflict", "A request with this Idempotency-Key is still being processed");
      }
      await setTimeout(POLL_MILLISECONDS);
      state = await readKeyState(thread, key);
    }
    if (!state) {
      return undefined;
    }
    if (state.kind !== "free" && state.bodyHash !== reservation.bodyHash) {
      throw new ServiceError("unprocessable", "Idempotency-Key was used with another request");
    }
    if (state.kind === "answered") {
      return replay(thread, state.turnNumber);
    }
  }
}

async function replay(thread: Thread, turnNumber: number): Promise<ReservedKey | undefined> {
  const turn = await readTurn(thread, turnNumber);
  return turn && { kind: "answered", answer: turn.answer, messageCount: (turnNumber + 1) * 2 };
}

/** A validated body has its fields in the schema's order, so a request has the same hash however it was serialized. */
function hashOf(request: ChatRequest): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}
