import { randomUUID } from "node:crypto";
import type { Caller } from "../caller.ts";
import { config } from "../config.ts";
import { sweepAt } from "../dynamo/keys.ts";
import { ServiceError } from "../errors.ts";
import { annotate, describeError, logWarning } from "../logger.ts";
import { count } from "../metrics.ts";
import { type EndpointQuota, QUOTA_TEXTS, type QuotaName } from "../quota-limits.ts";
import {
  addTokens,
  type Counted,
  countRequest,
  countThread,
  giveBackLease,
  moveThread,
  readTokens,
  takeLease,
} from "./quota-repository.ts";
import { type Field, rateLimitHeaders } from "./rate-limit-headers.ts";

/** The result of checking a request against its client's quotas. */
export interface Admission {
  /** The 429; undefined if the request is allowed. */
  rejection: ServiceError | undefined;
  /** `RateLimit`, `RateLimit-Policy` and, with a rejection, `Retry-After`. */
  headers: Record<string, string>;
  /**
   * Counts the request's usage once it has ended and returns its leases. Never fails.
   *
   * @param tokens input and output tokens
   * @param created whether the request created something; a failed request and a replay did not
   */
  settle(tokens: number, created: boolean): Promise<void>;
}

/**
 * Counts a request against its client's quotas, all of them in parallel: at most one round trip, or two if leases of
 * chats that died must be removed. Without quotas, there is none.
 *
 * A counter that does not respond rejects nothing.
 *
 * @param quotas the quotas of the endpoint
 * @param milliseconds the remaining time of the invocation
 * @returns undefined if no quota applies; the promise never rejects
 */
export function admit(
  caller: Caller,
  quotas: readonly EndpointQuota[],
  milliseconds: number,
): Promise<Admission> | undefined {
  const names = (["requestsPerMinute", ...quotas] as const).filter((name) => caller.quotas?.[name] !== undefined);
  return names.length > 0 ? admission(caller, names, milliseconds) : undefined;
}

async function admission(caller: Caller, names: QuotaName[], milliseconds: number): Promise<Admission> {
  const now = Date.now();
  const request = {
    holder: randomUUID().replaceAll("-", ""),
    until: now + milliseconds,
    sweepAt: names.includes("liveThreads") ? newThreadSweep(now) : "",
  };
  const fields = await Promise.all(
    names.map(async (name): Promise<Field> => {
      const limit = caller.quotas?.[name] ?? 0;
      try {
        return { name, limit, counted: await COUNTERS[name](caller, limit, now, request) };
      } catch (error) {
        logWarning("quota-unavailable", { quota: name, ...describeError(error) });
        count("QuotaUnavailable", 1);
        return { name, limit, counted: undefined };
      }
    }),
  );
  const over = fields.find(({ counted }) => counted?.allowed === false);
  if (over) {
    annotate({ quota: over.name });
    count("QuotaExceeded", 1, { quota: over.name });
  }
  const held = (name: QuotaName) => fields.some((field) => field.name === name && field.counted?.allowed);
  const counted = (name: QuotaName) => fields.some((field) => field.name === name && field.counted);
  return {
    rejection: over && new ServiceError("over-quota", QUOTA_TEXTS[over.name]),
    headers: rateLimitHeaders(fields, over),
    settle: async (tokens, created) => {
      const uncountThread = counted("liveThreads") && (over !== undefined || !created);
      await Promise.allSettled([
        held("concurrentChats") && giveBackLease(caller, request.holder),
        caller.quotas?.tokensPerDay !== undefined && tokens > 0 && addTokens(caller, tokens, now),
        uncountThread && moveThread(caller.tenant, caller.client, request.sweepAt, undefined, now),
      ]);
    },
  };
}

/** The sweep that deletes a thread created now and never used, ISO 8601. */
function newThreadSweep(now: number): string {
  return sweepAt(now + config.clock.idleSeconds * 1000, config.clock);
}

interface Counting {
  holder: string;
  until: number;
  sweepAt: string;
}

const COUNTERS: Record<QuotaName, (caller: Caller, limit: number, now: number, by: Counting) => Promise<Counted>> = {
  requestsPerMinute: countRequest,
  tokensPerDay: readTokens,
  concurrentChats: (caller, limit, now, { holder, until }) => takeLease(caller, limit, holder, until, now),
  liveThreads: (caller, limit, now, { sweepAt }) => countThread(caller, limit, sweepAt, now),
};
