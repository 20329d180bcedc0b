import { config } from "../config.ts";
import { moveThread } from "../quotas/quota-repository.ts";
import type { Tenant } from "../tenant.ts";
import { lifetime, sweepAt, type Thread } from "./thread.ts";

/** A thread as far as its client's quota of live threads is concerned. */
type Counted = Pick<Thread, "expiresAt" | "countedFor">;

/**
 * Counts a thread by its new sweep while a turn extends its lifetime, if it counts and the sweep is another one. It never
 * fails: what is not counted right ends with the sweep.
 */
export async function keepCounted(tenant: Tenant, thread: Counted): Promise<void> {
  const now = Date.now();
  await move(tenant, thread, lifetime(now, config.clock).sweepAt, now);
}

/** Counts a thread that was deleted no longer; likewise. A thread that is swept counts no longer by itself. */
export async function uncount(tenant: Tenant, thread: Counted): Promise<void> {
  await move(tenant, thread, undefined, Date.now());
}

async function move(tenant: Tenant, { expiresAt, countedFor }: Counted, to: string | undefined, now: number) {
  if (countedFor !== undefined) {
    const from = sweepAt(Date.parse(expiresAt), config.clock);
    await moveThread(tenant, countedFor, from, to, now).catch(() => {});
  }
}
