import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
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
import { retries } from "../dynamo/retries.ts";
import { putNew, transact } from "../dynamo/transact.ts";
import { EVENT_DAYS } from "./event.ts";
import { readEvent } from "./event-repository.ts";
import { RECEIVER_MILLISECONDS, type Webhook } from "./webhook.ts";

const RETRIES = 20;

/** The number of items that are read of each shard at a time. */
const PAGE = 100;

/** How long a delivery belongs to the run that has claimed it: the receiver's time, and as much for the database. */
const LEASE_MILLISECONDS = 2 * RECEIVER_MILLISECONDS;

/**
 * Lists the events and deliveries that are due, of all tenants, some of each shard at a time, the oldest first. Besides
 * the sweep's, this is the only read that spans tenants, and it returns only keys. The index lags: {@link fanOut} and
 * {@link claim} check each one again.
 */
export async function* dueItems(now: number): AsyncGenerator<(DueEvent | DueDelivery)[], void, void> {
  let shards = Array.from({ length: DUE_SHARDS }, (_, shard) => ({
    shard: String(shard),
    next: undefined as Record<string, unknown> | undefined,
  }));
  while (shards.length > 0) {
    const pages = await Promise.all(
      shards.map(async ({ shard, next }) => {
        const page = await dynamo.send(
          new QueryCommand({
            TableName: config.eventsTable,
            IndexName: BY_DUE,
            KeyConditionExpression: "dueShard = :shard AND dueAt <= :now",
            ExpressionAttributeValues: { ":shard": shard, ":now": new Date(now).toISOString() },
            ProjectionExpression: "pk, sk",
            Limit: PAGE,
            ExclusiveStartKey: next,
          }),
        );
        return { shard, items: page.Items ?? [], next: page.LastEvaluatedKey };
      }),
    );
    yield pages.flatMap(({ items }) => items.map((item) => ofDueKey(item as { pk: string; sk: string })));
    shards = pages.filter(({ next }) => next !== undefined);
  }
}

/**
 * Turns an event into deliveries to the webhooks that want it, in one transaction, so that each of them gets one,
 * whoever does this at the same time.
 *
 * @param webhooks those of the tenant
 * @returns the deliveries; if another run was first, those that it may have created
 * @throws the database's error if it is unreachable or stays busy, as all functions below
 */
export async function fanOut(due: DueEvent, webhooks: Webhook[]): Promise<DueDelivery[]> {
  const { tenant, shard, eventId } = due;
  const type = webhooks.length > 0 ? (await readEvent(tenant, shard, eventId))?.type : undefined;
  const webhookIds = webhooks
    .filter(({ events, disabled }) => type && events.includes(type) && !disabled)
    .map(({ id }) => id);
  const now = Date.now();
  const ttl = Math.ceil(now / 1000) + EVENT_DAYS * 24 * 60 * 60;
  const event = {
    Update: {
      TableName: config.eventsTable,
      Key: eventKey(tenant, shard, eventId),
      UpdateExpression: "REMOVE dueShard, dueAt",
      ConditionExpression: "attribute_exists(dueAt)",
    },
  };
  const deliveries = webhookIds.map((id) =>
    putNew(config.eventsTable, {
      ...deliveryKey(tenant, id, eventId),
      shard,
      attempts: 0,
      ttl,
      ...dueAttributes(now),
    }),
  );
  await transact(() => ({ event, deliveries }), retries({ attempts: RETRIES }));
  return webhookIds.map((webhookId) => ({ tenant, webhookId, eventId }));
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
        UpdateExpression: "SET dueAt = :lease, attempts = attempts + :one",
        ConditionExpression: "dueAt <= :now",
        ExpressionAttributeValues: {
          ":lease": new Date(now + LEASE_MILLISECONDS).toISOString(),
          ":now": new Date(now).toISOString(),
          ":one": 1,
        },
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
  const { tenant, webhookId, eventId } = delivery;
  try {
    await dynamo.send(
      new UpdateCommand({
        TableName: config.eventsTable,
        Key: deliveryKey(tenant, webhookId, eventId),
        UpdateExpression: "SET dueAt = :time",
        ConditionExpression: "attempts = :attempts",
        ExpressionAttributeValues: { ":time": new Date(time).toISOString(), ":attempts": attempts },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) {
      throw error;
    }
  }
}
