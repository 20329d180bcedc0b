import { config } from "../config.ts";
import { moveThread } from "../quotas/quota-repository.ts";
import type { Tenant } from "../tenant.ts";
import { deletionTimes, lifetime, type Thread } from "./thread.ts";

/** The part of a thread that its client's quota of live threads needs. */
type Counted = Pick<Thread, "expiresAt" | "countedFor">;

/**
 * Moves a thread's count to its new sweep when a turn extends its lifetime, if it is counted and the sweep changes.
 * Never fails: a wrong count ends with the sweep.
 */
export async function keepCounted(tenant: Tenant, thread: Counted): Promise<void> {
  const now = Date.now();
  await move(tenant, thread, lifetime(now, config.clock).sweepAt, now);
}

/** Removes a deleted thread from the count; never fails either. Swept threads stop counting by themselves. */
export async function uncount(tenant: Tenant, thread: Counted): Promise<void> {
  await move(tenant, thread, undefined, Date.now());
}

async function move(tenant: Tenant, { expiresAt, countedFor }: Counted, sweep: string | undefined, now: number) {
  if (countedFor !== undefined) {
    const from = deletionTimes({ expiresAt }, config.clock).sweepAt;
    await moveThread(tenant, countedFor, from, sweep, now).catch(() => {});
  }
}
