import type { Call, Fault } from "./fault-proxy.ts";
import {
  canceled,
  conflict,
  delayed,
  failedAfterwards,
  inProgress,
  internalError,
  requestLost,
  responseCutOff,
  responseLost,
  throttled,
  unavailable,
} from "./faults.ts";

/** Faults of any call. {@link UNACKNOWLEDGED} contains those after which the call has been executed nevertheless. */
const BEFORE: Fault[] = [requestLost, internalError, unavailable, throttled, delayed(10)];
const UNACKNOWLEDGED: Fault[] = [responseLost, responseCutOff, failedAfterwards];
const BUSY: Fault[] = [conflict, canceled("ThrottlingError"), canceled("ProvisionedThroughputExceeded"), inProgress];

/**
 * The failure rates of a first attempt and of a retry, and how often the retry of an executed call finds the item busy.
 */
const FIRST = 0.12;
const RETRY = 0.35;
const BUSY_RETRY = 0.5;

/**
 * Makes calls fail at random in every way, including transactions that were executed and whose retries are then
 * rejected as busy.
 *
 * @param random from 0 to below 1
 * @returns the fault for all calls, and the number of calls that it has made fail
 */
export function randomFaults(random: () => number): { fault: Fault; injected: () => number } {
  const pick = (faults: Fault[]) => faults[Math.floor(random() * faults.length)] as Fault;
  const seen = new Set<string>();
  const unacknowledged = new Set<string>();
  let injected = 0;
  const choose = (call: Call): Fault | undefined => {
    const isTransaction = call.operation === "TransactWriteItems";
    const id = String(call.body.ClientRequestToken ?? JSON.stringify(call.body));
    const isRetry = seen.has(id);
    seen.add(id);
    if (unacknowledged.has(id) && random() < BUSY_RETRY) {
      return pick(BUSY);
    }
    if (random() >= (isRetry ? RETRY : FIRST)) {
      return undefined;
    }
    if (random() < 0.5) {
      if (isTransaction) {
        unacknowledged.add(id);
      }
      return pick(UNACKNOWLEDGED);
    }
    if (/^(Update|Delete)Item$/.test(call.operation) && random() < 0.5) {
      return conflict;
    }
    return isTransaction && random() < 0.5 ? pick(BUSY) : pick(BEFORE);
  };
  const fault: Fault = (call) => {
    const chosen = choose(call);
    if (!chosen) {
      return call.forward();
    }
    injected++;
    return chosen(call);
  };
  return { fault, injected: () => injected };
}

/** Generates numbers from 0 to below 1, the same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
