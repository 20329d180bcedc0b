import type { QuotaName } from "../request/quota-limits.ts";
import type { Counted } from "./quota-repository.ts";

/** A quota and its count; undefined if its counter did not respond. */
export interface Field {
  name: QuotaName;
  limit: number;
  counted: Counted | undefined;
}

/** The policy of each quota (draft-ietf-httpapi-ratelimit-headers-10, "RateLimit-Policy Field"). */
const POLICIES: Record<QuotaName, { policy: string; parameters: string }> = {
  requestsPerMinute: { policy: "requests", parameters: ";w=60" },
  concurrentChats: { policy: "chats", parameters: ';qu="concurrent-requests"' },
  tokensPerDay: { policy: "tokens", parameters: ';w=86400;qu="tokens"' },
  liveThreads: { policy: "threads", parameters: ';qu="threads"' },
};

/**
 * Returns the headers that tell a client about its quotas, as structured fields (RFC 9651): `RateLimit-Policy` lists
 * the limits, `RateLimit` states the remaining amount and the seconds until it increases, and `Retry-After` when to
 * retry a rejected request.
 *
 * @param over the exceeded quota
 */
export function rateLimitHeaders(fields: Field[], over: Field | undefined): Record<string, string> {
  const limits = fields.map(({ name, limit }) => `"${POLICIES[name].policy}";q=${limit}${POLICIES[name].parameters}`);
  const left = fields.flatMap(({ name, counted }) =>
    counted ? [`"${POLICIES[name].policy}";r=${counted.remaining};t=${counted.resetSeconds}`] : [],
  );
  return {
    "ratelimit-policy": limits.join(", "),
    ...(left.length > 0 && { ratelimit: left.join(", ") }),
    ...(over?.counted && { "retry-after": String(over.counted.resetSeconds) }),
  };
}
