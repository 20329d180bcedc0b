import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { updateItem } from "../dynamo/conditional-write.ts";
import { type Condition, equals, exists, expressions, isAtMost } from "../dynamo/expressions.ts";
import {
  BY_DUE,
  DUE_SHARDS,
  type DueDelivery,
  type DueEvent,
  deliveryKey,
  dueAttributes,
  eventKey,
  ofDueKey,
} from "../dynamo/keys.ts";
import { queryItems } from "../dynamo/query.ts";
import { putNew, transact, update } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import { EVENT_DAYS, type StoredEvent } from "./event.ts";
import { readEvent } from "./event-repository.ts";
import { RECEIVER_MILLISECONDS, type Webhook } from "./webhook.ts";

/** How long a delivery belongs to the run that has claimed it: the receiver's time, and as much for the database. */
const LEASE_MILLISECONDS = 2 * RECEIVER_MILLISECONDS;

/** How many of a webhook's deliveries are kept of each shard, or of a tenant's events. The next run continues. */
const MOST_OF_ONE = 1_000;

/** How many items of a shard are read before those that are not due yet are left out. */
const MOST_WAITING = 1_000;

/** An event or a delivery, and when it is due, as ISO 8601. */
export type Undelivered = (DueEvent | DueDelivery) & { dueAt: string };

/**
 * Lists the events and deliveries of all tenants that are due or due next. A receiver that is down for days takes up no
 * more of it than {@link MOST_OF_ONE}, and keeps those of others out of no run. Besides the sweep's, this is the only
 * read that spans tenants, and it returns only keys. The index lags: {@link fanOut} and {@link claim} check each one
 * again.
 */
export async function readUndelivered(now: string): Promise<Undelivered[]> {
  const shards = await Promise.all(
    Array.from({ length: DUE_SHARDS }, async (_, shard) => {
      const found: Undelivered[] = [];
      const counts = new Map<string, number>();
      const query = { keys: equals("dueShard", String(shard)), attributes: ["pk", "sk", "dueAt"] };
      for await (const { pk, sk, dueAt } of queryItems(config.eventsTable, query, { IndexName: BY_DUE })) {
        if (String(dueAt) > now && found.length >= MOST_WAITING) {
          break;
        }
        const item = ofDueKey({ pk: String(pk), sk: String(sk) });
        const owner = "webhookId" in item ? item.webhookId : item.tenant;
        const number = (counts.get(owner) ?? 0) + 1;
        counts.set(owner, number);
        if (number <= MOST_OF_ONE) {
          found.push({ ...item, dueAt: String(dueAt) });
        }
      }
      return found;
    }),
  );
  return shards.flat();
}

/** A delivery, and its event if it was read to create the delivery. */
export type Delivery = DueDelivery & { read?: ReadEvent | undefined };

/** An event as it was at a time, in milliseconds since the epoch. */
interface ReadEvent {
  event: StoredEvent;
  at: number;
}

/**
 * Turns an event into deliveries to the webhooks that want it, in one transaction, so that each of them gets one,
 * whoever does this at the same time.
 *
 * @param webhooks those of the tenant
 * @returns the deliveries; if another run was first, those that it may have created
 * @throws the database's error if it is unreachable or stays busy, as all functions below
 */
export async function fanOut(due: DueEvent, webhooks: Webhook[]): Promise<Delivery[]> {
  const { tenant, shard, eventId } = due;
  const at = Date.now();
  const stored = webhooks.length > 0 ? await readEvent(tenant, shard, eventId) : undefined;
  const webhookIds = webhooks
    .filter(({ events, disabled }) => stored && events.includes(stored.type) && !disabled)
    .map(({ id }) => id);
  const now = Date.now();
  const ttl = Math.ceil(now / 1000) + EVENT_DAYS * 24 * 60 * 60;
  const isDue = exists("dueAt");
  const event = update(config.eventsTable, eventKey(tenant, shard, eventId), { remove: ["dueShard", "dueAt"] }, isDue);
  const deliveries = webhookIds.map((id) =>
    putNew(config.eventsTable, {
      ...deliveryKey(tenant, id, eventId),
      shard,
      attempts: 0,
      ttl,
      ...dueAttributes(now),
    }),
  );
  await transact(() => ({ event, deliveries }));
  return webhookIds.map((webhookId) => ({ tenant, webhookId, eventId, read: stored && { event: stored, at } }));
}

/** A delivery that belongs to this run. */
export interface Claimed {
  /** The shard of its event. */
  shard: number;
  /** How often it has been tried, including now. */
  attempts: number;
}

/**
 * Claims a due delivery until a lease ends, so that no other run tries it at the same time. A run that dies leaves it
 * to the next one.
 *
 * @returns undefined if it is not due: another run has claimed or completed it
 */
export async function claim({ tenant, webhookId, eventId }: DueDelivery): Promise<Claimed | undefined> {
  const now = Date.now();
  try {
    const { Attributes = {} } = await dynamo.send(
      new UpdateCommand({
        TableName: config.eventsTable,
        Key: deliveryKey(tenant, webhookId, eventId),
        ...expressions({
          change: { set: { dueAt: new Date(now + LEASE_MILLISECONDS).toISOString() }, add: { attempts: 1 } },
          condition: isAtMost("dueAt", new Date(now).toISOString()),
        }),
        ReturnValues: "ALL_NEW",
      }),
    );
    return { shard: Number(Attributes.shard), attempts: Number(Attributes.attempts) };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return undefined; // also after a lost response to our own claim: then it is due again when the lease ends
    }
    throw error;
  }
}

/** Deletes a delivery that has succeeded, or that is given up. */
export async function complete({ tenant, webhookId, eventId }: DueDelivery): Promise<void> {
  const Key = deliveryKey(tenant, webhookId, eventId);
  await dynamo.send(new DeleteCommand({ TableName: config.eventsTable, Key }));
}

/**
 * Sets when a claimed delivery is tried again, unless the lease has ended and another run has tried it since.
 *
 * @param time milliseconds since the epoch
 */
export async function postpone(delivery: DueDelivery, { attempts }: Claimed, time: number): Promise<void> {
  await setDue(delivery, time, equals("attempts", attempts));
}

/**
 * Gives back a delivery that was claimed and not tried, unless another run has claimed it since.
 *
 * @param time when it is due, milliseconds since the epoch
 */
export async function releaseClaim(delivery: DueDelivery, { attempts }: Claimed, time: number): Promise<void> {
  await setDue(delivery, time, equals("attempts", attempts), { attempts: -1 });
}

async function setDue(
  { tenant, webhookId, eventId }: DueDelivery,
  time: number,
  condition: Condition,
  add?: Record<string, number>,
): Promise<void> {
  const change = { set: { dueAt: new Date(time).toISOString() }, ...(add && { add }) };
  await updateItem(config.eventsTable, deliveryKey(tenant, webhookId, eventId), change, condition);
}

/** Lists the deliveries of a webhook that were not accepted yet, the oldest event first, read consistently. */
async function* deliveriesTo(
  tenant: Tenant,
  webhookId: string,
  Limit?: number,
): AsyncGenerator<Undelivered & DueDelivery> {
  const { pk } = deliveryKey(tenant, webhookId, "");
  const query = { keys: equals("pk", pk), attributes: ["sk", "dueAt"] };
  for await (const item of queryItems(config.eventsTable, query, { Limit })) {
    yield { ...(ofDueKey({ pk, sk: String(item.sk) }) as DueDelivery), dueAt: String(item.dueAt) };
  }
}

/** @returns the ID of the oldest event that a webhook has not accepted yet; undefined if there is none */
export async function oldestUndelivered(tenant: Tenant, webhookId: string): Promise<string | undefined> {
  for await (const { eventId } of deliveriesTo(tenant, webhookId, 1)) {
    return eventId;
  }
  return undefined;
}

/** Lists the deliveries of a webhook that are due. */
export async function dueDeliveries(tenant: Tenant, webhookId: string): Promise<DueDelivery[]> {
  const now = new Date().toISOString();
  const due: DueDelivery[] = [];
  for await (const { dueAt, ...delivery } of deliveriesTo(tenant, webhookId)) {
    if (dueAt <= now) {
      due.push(delivery);
    }
  }
  return due;
}

/** Makes all deliveries of a webhook due now, except those that are about to be or that a run has claimed. */
export async function hasten(tenant: Tenant, webhookId: string): Promise<void> {
  const now = Date.now();
  const leasesEnd = new Date(now + LEASE_MILLISECONDS).toISOString();
  for await (const { dueAt, ...delivery } of deliveriesTo(tenant, webhookId)) {
    if (dueAt > leasesEnd) {
      await setDue(delivery, now, equals("dueAt", dueAt));
    }
  }
}
