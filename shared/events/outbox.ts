import { randomBytes, randomInt } from "node:crypto";
import { config } from "../config.ts";
import { dueAttributes, EVENT_SHARDS, eventKey } from "../dynamo/keys.ts";
import { type Action, putNew } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { EVENT_DAYS, eventIdAt, type NewEvent } from "./event.ts";

/**
 * Records an event in the transaction of its cause, so that there is an event if, and only if, it happened (the
 * transactional outbox pattern).
 *
 * @param at milliseconds since the epoch
 */
export function recordEvent(tenant: Tenant, event: NewEvent, at: number): Action {
  const id = `${eventIdAt(at)}${randomBytes(12).toString("hex")}`;
  return putNew(config.eventsTable, {
    ...eventKey(tenant, randomInt(EVENT_SHARDS), id),
    ...event,
    at: new Date(at).toISOString(),
    ...dueAttributes(at),
    ttl: Math.ceil(at / 1000) + EVENT_DAYS * 24 * 60 * 60,
  });
}
