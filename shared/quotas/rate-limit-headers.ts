import type { QuotaName } from "../request/quota-limits.ts";
import type { Counted } from "./quota-repository.ts";

/** A quota and its count; undefined if its counter did not respond. */
export interface QuotaState {
  name: QuotaName;
  limit: number;
  counted: Counted | undefined;
}

/**
 * The parameters of each quota's policy (draft-ietf-httpapi-ratelimit-headers-10, "RateLimit-Policy Field"). Its name
 * is the quota's, as in the settings of keys and in the log.
 */
const PARAMETERS: Record<QuotaName, string> = {
  requestsPerMinute: ";w=60",
  concurrentChats: ';qu="concurrent-requests"',
  tokensPerDay: ';w=86400;qu="tokens"',
  liveThreads: ';qu="threads"',
};

/**
 * Returns the headers that tell a client about its quotas, as structured fields (RFC 9651): `RateLimit-Policy` lists
 * the limits, `RateLimit` states the remaining amount and the seconds until it increases, and `Retry-After` when to
 * retry a rejected request.
 *
 * @param over the exceeded quota
 */
export function rateLimitHeaders(states: QuotaState[], over: QuotaState | undefined): Record<string, string> {
  const limits = states.map(({ name, limit }) => `"${name}";q=${limit}${PARAMETERS[name]}`);
  const left = states.flatMap(({ name, counted }) =>
    counted ? [`"${name}";r=${counted.remaining};t=${counted.resetSeconds}`] : [],
  );
  return {
    "ratelimit-policy": limits.join(", "),
    ...(left.length > 0 && { ratelimit: left.join(", ") }),
    ...(over?.counted && { "retry-after": String(over.counted.resetSeconds) }),
  };
}
