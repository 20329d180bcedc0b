import { randomBytes, randomInt } from "node:crypto";
import { config } from "../config.ts";
import { EVENT_SHARDS, eventKey } from "../dynamo/keys.ts";
import { type Action, putNew } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import type { NewEvent } from "./event.ts";

/** How long events can be read, and their delivery is retried. */
export const EVENT_DAYS = 7;

/**
 * Records an event in the transaction of its cause, so that there is an event if, and only if, it happened (the
 * transactional outbox pattern).
 *
 * @param at milliseconds since the epoch
 */
export function recordEvent(tenant: Tenant, event: NewEvent, at: number): Action {
  const id = `evt_${at.toString(36)}${randomBytes(12).toString("hex")}`;
  return putNew(config.eventsTable, {
    ...eventKey(tenant, randomInt(EVENT_SHARDS), id),
    ...event,
    at: new Date(at).toISOString(),
    ttl: Math.ceil(at / 1000) + EVENT_DAYS * 24 * 60 * 60,
  });
}
