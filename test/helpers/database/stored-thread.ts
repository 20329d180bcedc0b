import { ulid } from "ulid";
import { config } from "../../../shared/config.ts";
import { randomSweepShard, threadKey } from "../../../shared/dynamo/keys.ts";
import type { Tenant } from "../../../shared/tenant.ts";
import { lifetime } from "../../../shared/threads/thread.ts";
import { turnItem } from "../../../shared/threads/thread-items.ts";
import { exchange } from "./exchange.ts";

/** A question and an answer of typical length. */
export const QUESTION = "q".repeat(170);
export const ANSWER = "a".repeat(810);

/** 20 messages, as many as a chat uses as context. */
const TURNS = 10;

/**
 * The items of a thread with 20 messages of typical length, as the service would have stored them.
 *
 * @param lastActivity milliseconds since the epoch
 */
export function storedThread(
  tenant: Tenant,
  threadId: string,
  lastActivity: number,
  patientId: string | null = null,
): Record<string, unknown>[] {
  const times = lifetime(lastActivity, config.clock);
  const generation = ulid(lastActivity);
  const thread = {
    ...threadKey(tenant, threadId),
    threadId,
    ...times,
    sweepShard: randomSweepShard(),
    generation,
    patientId,
    messageCount: 2 * TURNS,
    version: TURNS,
    createdAt: times.lastActivity,
  };
  const turns = Array.from({ length: TURNS }, (_, number) => ({
    ...turnItem(tenant, thread, number, exchange(QUESTION, ANSWER), lastActivity),
    messageCount: 2 * (number + 1),
    commitId: "0123456789ab",
  }));
  return [thread, ...turns];
}
