import type { QuotaName } from "../quota-limits.ts";
import type { Counted } from "./quota-repository.ts";

/** A quota and what was counted; undefined if its counter did not answer. */
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
 * The fields that tell a client about its quotas, as structured fields (RFC 9651): `RateLimit-Policy` lists the limits,
 * `RateLimit` what is left and in how many seconds there is more, `Retry-After` when to repeat a rejected request.
 *
 * @param over the quota that is used up
 */
export function rateLimitHeaders(fields: Field[], over: Field | undefined): Record<string, string> {
  const limits = fields.map(({ name, limit }) => `"${POLICIES[name].policy}";q=${limit}${POLICIES[name].parameters}`);
  const left = fields.flatMap(({ name, counted }) =>
    counted ? [`"${POLICIES[name].policy}";r=${counted.remaining};t=${counted.resetSeconds}`] : [],
  );
  return {
    "ratelimit-policy": limits.join(", "),
    ...(left.length > 0 && { ratelimit: left.join(", ") }),
    ...(over?.counted && { "retry-after": String(Math.max(1, over.counted.resetSeconds)) }),
  };
}
