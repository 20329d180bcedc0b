import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { config } from "../config.ts";
import { updateItem } from "../dynamo/conditional-write.ts";
import {
  allOf,
  anyOf,
  beginsWith,
  type Change,
  type Condition,
  differs,
  equals,
  isAtMost,
  isBelow,
  isMissing,
  isPresent,
} from "../dynamo/expressions.ts";
import { WEBHOOK_PREFIX, webhookCountKey, webhookKey, webhooksPartition } from "../dynamo/keys.ts";
import { queryItems, readItem } from "../dynamo/query.ts";
import { type Action, deleteItem, putNew, transact, update } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import type { EventType } from "./event.ts";
import { MOST_WEBHOOKS, type SendFailure, type Webhook } from "./webhook.ts";

/**
 * Stores a new webhook, and counts it in the same transaction.
 *
 * @returns false if the tenant has {@link MOST_WEBHOOKS} already
 * @throws the database's error if it is unreachable or stays busy, as all functions below
 */
export async function insertWebhook(tenant: Tenant, { id, ...webhook }: Webhook): Promise<boolean> {
  const actions = {
    webhook: putNew(config.eventsTable, { ...webhookKey(tenant, id), ...webhook }),
    count: addToCount(tenant, 1),
  };
  const refusal = await transact(() => actions);
  return !refusal || refusal.failed.webhook !== undefined; // its own id: an earlier attempt stored it
}

/** Deletes a webhook. @returns false if there is none with this id */
export async function removeWebhook(tenant: Tenant, id: string): Promise<boolean> {
  const actions = {
    webhook: deleteItem(config.eventsTable, webhookKey(tenant, id), isPresent),
    count: addToCount(tenant, -1),
  };
  const refusal = await transact(() => actions);
  return !refusal || refusal.uncertain;
}

function addToCount(tenant: Tenant, change: 1 | -1): Action {
  const hasRoom = anyOf(isMissing("webhooks"), isBelow("webhooks", MOST_WEBHOOKS));
  const key = webhookCountKey(tenant);
  return update(config.eventsTable, key, { add: { webhooks: change } }, change === 1 ? hasRoom : undefined);
}

/** The keys of a tenant's webhooks. */
function keysOf(tenant: Tenant): Condition {
  return allOf(equals("pk", webhooksPartition(tenant)), beginsWith("sk", WEBHOOK_PREFIX));
}

/** Returns a tenant's webhooks, the oldest first, read consistently. */
export async function readWebhooks(tenant: Tenant): Promise<Webhook[]> {
  return Array.fromAsync(queryItems(config.eventsTable, { keys: keysOf(tenant) }), toWebhook);
}

/** Whether a tenant has a webhook that is told of events of this type. Names only {@link WEBHOOK_TYPE_ATTRIBUTES}. */
export async function hasWebhookFor(tenant: Tenant, type: EventType): Promise<boolean> {
  const query = { keys: keysOf(tenant), attributes: ["events", "disabled"] };
  const webhooks = queryItems(config.eventsTable, query, { Select: "SPECIFIC_ATTRIBUTES" }); // for the role's condition
  for await (const { events, disabled } of webhooks) {
    if ((events as EventType[]).includes(type) && disabled === undefined) {
      return true;
    }
  }
  return false;
}

/** @returns the webhook, read consistently; undefined if there is none with this id */
export async function readWebhook(tenant: Tenant, id: string): Promise<Webhook | undefined> {
  const item = await readItem(config.eventsTable, webhookKey(tenant, id));
  return item && toWebhook(item);
}

function toWebhook({ pk: _, sk, ...webhook }: Record<string, unknown>): Webhook {
  return { ...webhook, id: sk } as Webhook;
}

/**
 * Replaces a webhook's secret. The previous one is that of the item at the time of the write, so of several rotations
 * at the same time, the last two secrets are valid. A transaction, because a repetition by the client would replace
 * both.
 *
 * @param overlapUntil until when the previous one is valid, ISO 8601
 * @returns false if there is none with this id
 */
export async function rotateSecret(tenant: Tenant, id: string, secret: string, overlapUntil: string): Promise<boolean> {
  const change = { set: { secret, previousSecretUntil: overlapUntil }, copy: { previousSecret: "secret" } };
  const condition = allOf(isPresent, differs("secret", secret));
  const webhook = update(config.eventsTable, webhookKey(tenant, id), change, condition);
  const refusal = await transact(() => ({ webhook }));
  return !refusal || refusal.failed.webhook?.item?.secret === secret;
}

/**
 * Takes a webhook for a run, so that its receiver holds up one run at most, however slow it is.
 *
 * @param until when other runs may take it, ISO 8601: this one has ended or died
 * @returns false if another run has it, which looks for what is due before it ends; true also for a webhook that is
 *   gone, whose deliveries are dropped
 */
export async function take(tenant: Tenant, id: string, until: string): Promise<boolean> {
  const now = new Date().toISOString();
  const isFree = anyOf(isMissing("takenUntil"), isAtMost("takenUntil", now), equals("takenUntil", until));
  const change = { set: { takenUntil: until } };
  const refusal = await updateItem(config.eventsTable, webhookKey(tenant, id), change, allOf(isPresent, isFree));
  return !(refusal?.error instanceof ConditionalCheckFailedException && refusal.error.Item);
}

/** Leaves a webhook to other runs. @param until as it was taken */
export function leave(tenant: Tenant, id: string, until: string): Promise<boolean> {
  return changeWebhook(tenant, id, { remove: ["takenUntil"] }, equals("takenUntil", until));
}

const FAILURE_ATTRIBUTES = ["failingSince", "lastFailure", "disabled"];

/** Notes that a test message was accepted. A disabled webhook is enabled again, and a pause is over. */
export function enable(tenant: Tenant, id: string): Promise<boolean> {
  return changeWebhook(tenant, id, { remove: [...FAILURE_ATTRIBUTES, "pausedUntil"] });
}

/** Notes that an event was accepted, unless the receiver has answered another one with a 410 meanwhile. */
export function noteSuccess(tenant: Tenant, id: string): Promise<boolean> {
  const isNotGone = anyOf(isMissing("disabled"), differs("disabled", "gone"));
  return changeWebhook(tenant, id, { remove: FAILURE_ATTRIBUTES }, isNotGone);
}

/**
 * Disables a webhook because its receiver has failed for days, unless it has accepted a message meanwhile.
 *
 * @param failingSince as it was read
 * @returns whether it is disabled
 */
export function disableAsFailing(
  tenant: Tenant,
  id: string,
  failure: SendFailure,
  failingSince: string,
): Promise<boolean> {
  const change = { set: { lastFailure: failure, disabled: "failing" } };
  return changeWebhook(tenant, id, change, equals("failingSince", failingSince));
}

/**
 * Notes that a message was not accepted. A 410 disables the webhook.
 *
 * @param now ISO 8601
 * @param pausedUntil until when the receiver has asked not to be sent anything, ISO 8601; undefined if it has not
 */
export function noteFailure(
  tenant: Tenant,
  id: string,
  failure: SendFailure,
  now: string,
  pausedUntil?: string,
): Promise<boolean> {
  const disabled = failure === "gone" ? failure : undefined;
  const set = { lastFailure: failure, disabled, pausedUntil };
  return changeWebhook(tenant, id, { set, setOnce: { failingSince: now } });
}

/**
 * Changes a webhook unless it has been deleted.
 *
 * @returns whether it was changed
 */
async function changeWebhook(tenant: Tenant, id: string, change: Change, condition?: Condition): Promise<boolean> {
  const refusal = await updateItem(config.eventsTable, webhookKey(tenant, id), change, allOf(isPresent, condition));
  return refusal === undefined;
}
