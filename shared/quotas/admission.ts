import { config } from "../config.ts";
import { sweepAt } from "../dynamo/keys.ts";
import { ServiceError } from "../errors.ts";
import { describeError, logWarning } from "../observability/logger.ts";
import { count } from "../observability/metrics.ts";
import type { Caller } from "../request/caller.ts";
import { type Admission, type EndpointQuota, QUOTA_TEXTS, type QuotaName } from "../request/quota-limits.ts";
import type { CallerContext } from "../request/request-context.ts";
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
import { type QuotaState, rateLimitHeaders } from "./rate-limit-headers.ts";

/**
 * Counts a request against its client's quotas, all of them in parallel: at most one round trip, or two if leases of
 * chats that died must be removed. Without quotas, there is none.
 *
 * A counter that does not respond rejects nothing.
 *
 * @param quotas the quotas of the endpoint, besides that of requests
 * @returns undefined if no quota applies; the promise never rejects
 */
export function admit(context: CallerContext, quotas: readonly EndpointQuota[]): Promise<Admission> | undefined {
  const limits = context.caller.quotas;
  const names = (["requestsPerMinute", ...quotas] as const).filter((name) => limits?.[name] !== undefined);
  return names.length > 0 ? admission(context, names) : undefined;
}

async function admission({ caller, deadline, log }: CallerContext, names: QuotaName[]): Promise<Admission> {
  const at = Date.now();
  const request = {
    until: deadline,
    sweepAt: names.includes("liveThreads") ? newThreadSweep(at) : "",
  };
  const states = await Promise.all(
    names.map(async (name): Promise<QuotaState> => {
      const limit = caller.quotas?.[name] ?? 0;
      try {
        return { name, limit, counted: await COUNTERS[name](caller, limit, at, request) };
      } catch (error) {
        logWarning("quota-unavailable", { quota: name, ...describeError(error) });
        count("QuotaUnavailable", 1);
        return { name, limit, counted: undefined };
      }
    }),
  );
  const over = states.find(({ counted }) => counted?.allowed === false);
  if (over) {
    log.quota = over.name;
    count("QuotaExceeded", 1, { quota: over.name });
  }
  const countOf = (name: QuotaName) => states.find((state) => state.name === name)?.counted;
  return {
    rejection: over && new ServiceError("over-quota", QUOTA_TEXTS[over.name]),
    headers: rateLimitHeaders(states, over),
    at,
    lease: countOf("concurrentChats")?.allowed ? request.until : undefined,
    countedSweep: countOf("liveThreads") && request.sweepAt,
  };
}

/**
 * Counts a request's usage once it has ended, and returns its leases. Never fails.
 *
 * @param tokens input and output tokens
 * @param created whether the request created something; a request that was rejected or has failed, and a replay, did
 *   not
 */
export async function settle(
  caller: Caller,
  { at, lease, countedSweep }: Admission,
  tokens: number,
  created: boolean,
): Promise<void> {
  const { client, tenant, quotas } = caller;
  const uncounted = created ? undefined : countedSweep;
  await Promise.allSettled([
    lease && giveBackLease(caller, lease, Date.now()),
    quotas?.tokensPerDay !== undefined && tokens > 0 && addTokens(caller, tokens, at),
    uncounted && moveThread(tenant, client, uncounted, undefined, at),
  ]);
}

/** The sweep that deletes a thread created now and never used, ISO 8601. */
function newThreadSweep(now: number): string {
  return sweepAt(now + config.clock.idleSeconds * 1000, config.clock);
}

interface Counting {
  until: number;
  sweepAt: string;
}

const COUNTERS: Record<
  QuotaName,
  (caller: Caller, limit: number, now: number, counting: Counting) => Promise<Counted>
> = {
  requestsPerMinute: countRequest,
  tokensPerDay: readTokens,
  concurrentChats: (caller, limit, now, { until }) => takeLease(caller, limit, until, now),
  liveThreads: (caller, limit, now, { sweepAt }) => countThread(caller, limit, sweepAt, now),
};
