import { createHash, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ServiceError } from "../errors.ts";
import { type Reservation, readKeyState, reserve } from "../threads/reservation-repository.ts";
import type { Thread } from "../threads/thread.ts";
import { readTurn } from "../threads/thread-repository.ts";
import type { ChatRequest } from "./chat-schemas.ts";

/** How often a repetition looks whether the first request has come to its end. */
const POLL_MILLISECONDS = 200;

/** What a request with an idempotency key is to do: go on under a reservation, or give the answer given before. */
export type Claim =
  | { kind: "reserved"; reservation: Reservation; waited: boolean }
  | { kind: "answered"; answer: string; messageCount: number };

/**
 * Claims an idempotency key for a request on a thread. While another request with the key is at work, waits for its
 * end: when it has answered, so has this one; when it failed, this one takes its place.
 *
 * @param key as a hash
 * @param leaseUntil when this invocation will have ended, in milliseconds since the epoch
 * @param giveUpAt how long to wait for another request
 * @returns undefined when the thread is gone
 * @throws ServiceError `unprocessable` when the key came with another body before; `conflict` when the other request is
 *   still at work at `giveUpAt`
 */
export async function claimKey(
  thread: Thread,
  request: ChatRequest,
  key: string,
  leaseUntil: number,
  giveUpAt: number,
): Promise<Claim | undefined> {
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

async function replay(thread: Thread, turnNumber: number): Promise<Claim | undefined> {
  const turn = await readTurn(thread, turnNumber);
  return turn && { kind: "answered", answer: turn.answer, messageCount: (turnNumber + 1) * 2 };
}

/** The checked body has its fields in the schema's order, so the same request has the same hash however it was written. */
function hashOf(request: ChatRequest): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}
