import type { ErrorText, ServiceError } from "../errors.ts";

/** The limits that the secret with the API keys can set for a client, with the maximum value of each. */
export const QUOTA_LIMITS = {
  /** For all endpoints. One counter accepts 1,000 writes per second, which is 60,000 per minute. */
  requestsPerMinute: 50_000,
  /** Each chat changes one counter twice, so this many chats of 3 s each stay below 1,000 writes per second. */
  concurrentChats: 1_000,
  /** Input and output combined; a day in UTC. */
  tokensPerDay: 1_000_000_000_000,
  /** The number of ids. */
  liveThreads: 90_000,
} as const;

export type QuotaName = keyof typeof QUOTA_LIMITS;

/** The quotas that apply only to some endpoints (`endpoint.ts`). */
export type EndpointQuota = Exclude<QuotaName, "requestsPerMinute">;

/** A client's quotas. Absent ones are neither limited nor counted. */
export type Quotas = { readonly [Name in QuotaName]?: number };

/** Whether a value can be a client's quotas: known names, with whole numbers from 1 to the maximum. */
export function isQuotas(value: unknown): value is Quotas {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(([name, limit]) => isQuota(name, limit))
  );
}

function isQuotaName(name: string): name is QuotaName {
  return Object.hasOwn(QUOTA_LIMITS, name);
}

export function isQuota(name: string, limit: unknown): boolean {
  return isQuotaName(name) && Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= QUOTA_LIMITS[name];
}

/** The `error` of a 429, by the exceeded quota. */
export const QUOTA_TEXTS: Record<QuotaName, ErrorText> = {
  requestsPerMinute: { error: "Too many requests", code: "too-many-requests" },
  concurrentChats: { error: "Too many concurrent chats", code: "too-many-concurrent-chats" },
  tokensPerDay: { error: "Daily token quota used up", code: "daily-tokens-used-up" },
  liveThreads: { error: "Too many live threads", code: "too-many-live-threads" },
};

/** The result of checking a request against its client's quotas (`quotas/admission.ts`). */
export interface Admission {
  /** The 429; undefined if the request is allowed. */
  rejection: ServiceError | undefined;
  /** `RateLimit`, `RateLimit-Policy` and, with a rejection, `Retry-After`. */
  headers: Record<string, string>;
  /** When the request was counted, in milliseconds since the epoch. */
  at: number;
  /** When the lease of a chat ends, by which it is returned, in milliseconds since the epoch. */
  lease: number | undefined;
  /** The sweep under which a new thread was counted, to be uncounted unless the request creates one. */
  countedSweep: string | undefined;
}
