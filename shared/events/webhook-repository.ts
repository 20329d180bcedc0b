import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { config } from "../config.ts";
import { dynamo } from "../dynamo/client.ts";
import { writeConditionally } from "../dynamo/conditional-write.ts";
import { WEBHOOK_PREFIX, webhookCountKey, webhookKey, webhooksPartition } from "../dynamo/keys.ts";
import { queryItems } from "../dynamo/query.ts";
import { retries } from "../dynamo/retries.ts";
import { type Action, putNew, transact } from "../dynamo/transact.ts";
import type { Tenant } from "../tenant.ts";
import type { EventType } from "./event.ts";
import { MOST_WEBHOOKS, type SendFailure, type Webhook } from "./webhook.ts";

const RETRIES = 20;

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
  const refusal = await transact(() => actions, retries({ attempts: RETRIES }));
  return !refusal || refusal.failed.webhook !== undefined; // its own id: an earlier attempt stored it
}

/** Deletes a webhook. @returns false if there is none with this id */
export async function removeWebhook(tenant: Tenant, id: string): Promise<boolean> {
  const actions = {
    webhook: {
      Delete: {
        TableName: config.eventsTable,
        Key: webhookKey(tenant, id),
        ConditionExpression: "attribute_exists(pk)",
      },
    },
    count: addToCount(tenant, -1),
  };
  const refusal = await transact(() => actions, retries({ attempts: RETRIES }));
  return !refusal || refusal.uncertain;
}

function addToCount(tenant: Tenant, change: 1 | -1): Action {
  return {
    Update: {
      TableName: config.eventsTable,
      Key: webhookCountKey(tenant),
      UpdateExpression: "ADD webhooks :change",
      ...(change === 1 && { ConditionExpression: "attribute_not_exists(webhooks) OR webhooks < :most" }),
      ExpressionAttributeValues: { ":change": change, ...(change === 1 && { ":most": MOST_WEBHOOKS }) },
    },
  };
}

/** Returns a tenant's webhooks, the oldest first, read consistently. */
export async function readWebhooks(tenant: Tenant): Promise<Webhook[]> {
  const items = queryItems({
    TableName: config.eventsTable,
    KeyConditionExpression: "pk = :webhooks AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":webhooks": webhooksPartition(tenant), ":prefix": WEBHOOK_PREFIX },
    ConsistentRead: true,
  });
  const webhooks: Webhook[] = [];
  for await (const item of items) {
    webhooks.push(toWebhook(item));
  }
  return webhooks;
}

/** Whether a tenant has a webhook that is told of events of this type. Names only {@link WEBHOOK_TYPE_ATTRIBUTES}. */
export async function hasWebhookFor(tenant: Tenant, type: EventType): Promise<boolean> {
  const webhooks = queryItems({
    TableName: config.eventsTable,
    KeyConditionExpression: "pk = :webhooks AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":webhooks": webhooksPartition(tenant), ":prefix": WEBHOOK_PREFIX },
    ProjectionExpression: "events, disabled",
    Select: "SPECIFIC_ATTRIBUTES", // the role's condition needs it
    ConsistentRead: true,
  });
  for await (const { events, disabled } of webhooks) {
    if ((events as EventType[]).includes(type) && disabled === undefined) {
      return true;
    }
  }
  return false;
}

/** @returns the webhook, read consistently; undefined if there is none with this id */
export async function readWebhook(tenant: Tenant, id: string): Promise<Webhook | undefined> {
  const Key = webhookKey(tenant, id);
  const { Item } = await dynamo.send(new GetCommand({ TableName: config.eventsTable, Key, ConsistentRead: true }));
  return Item && toWebhook(Item);
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
  const webhook = {
    Update: {
      TableName: config.eventsTable,
      Key: webhookKey(tenant, id),
      UpdateExpression: "SET previousSecret = secret, previousSecretUntil = :until, secret = :secret",
      ConditionExpression: "attribute_exists(pk) AND secret <> :secret",
      ExpressionAttributeValues: { ":secret": secret, ":until": overlapUntil },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    },
  };
  const refusal = await transact(() => ({ webhook }), retries({ attempts: RETRIES }));
  return !refusal || refusal.failed.webhook?.item?.secret === secret;
}

/**
 * Takes a webhook for a run, so that its receiver holds up one run at most, however slow it is.
 *
 * @param until when other runs may take it, ISO 8601: this one has ended or died
 * @returns false if another run has it, which looks for what is due before it ends; true also for a webhook that is gone,
 *   whose deliveries are dropped
 */
export async function take(tenant: Tenant, id: string, until: string): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: config.eventsTable,
    Key: webhookKey(tenant, id),
    UpdateExpression: "SET takenUntil = :until",
    ConditionExpression:
      "attribute_exists(pk) AND (attribute_not_exists(takenUntil) OR takenUntil <= :now OR takenUntil = :until)",
    ExpressionAttributeValues: { ":until": until, ":now": new Date().toISOString() },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  const refusal = await writeConditionally(() => dynamo.send(command), retries({ attempts: RETRIES }));
  return !(refusal?.error instanceof ConditionalCheckFailedException && refusal.error.Item);
}

/** Leaves a webhook to other runs. @param until as it was taken */
export function leave(tenant: Tenant, id: string, until: string): Promise<boolean> {
  return update(tenant, id, {
    UpdateExpression: "REMOVE takenUntil",
    ConditionExpression: "takenUntil = :until",
    ExpressionAttributeValues: { ":until": until },
  });
}

/** Notes that a test message was accepted. A disabled webhook is enabled again. */
export function enable(tenant: Tenant, id: string): Promise<boolean> {
  return update(tenant, id, { UpdateExpression: "REMOVE failingSince, lastFailure, disabled" });
}

/** Notes that an event was accepted, unless the receiver has answered another one with a 410 meanwhile. */
export function noteSuccess(tenant: Tenant, id: string): Promise<boolean> {
  return update(tenant, id, {
    UpdateExpression: "REMOVE failingSince, lastFailure, disabled",
    ConditionExpression: "attribute_exists(pk) AND (attribute_not_exists(disabled) OR disabled <> :gone)",
    ExpressionAttributeValues: { ":gone": "gone" },
  });
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
  return update(tenant, id, {
    UpdateExpression: "SET lastFailure = :failure, disabled = :disabled",
    ConditionExpression: "failingSince = :since",
    ExpressionAttributeValues: { ":failure": failure, ":disabled": "failing", ":since": failingSince },
  });
}

/**
 * Notes that a message was not accepted. A 410 disables the webhook.
 *
 * @param now ISO 8601
 */
export function noteFailure(tenant: Tenant, id: string, failure: SendFailure, now: string): Promise<boolean> {
  const isGone = failure === "gone";
  return update(tenant, id, {
    UpdateExpression: `SET failingSince = if_not_exists(failingSince, :now), lastFailure = :failure${
      isGone ? ", disabled = :failure" : ""
    }`,
    ExpressionAttributeValues: { ":now": now, ":failure": failure },
  });
}

/**
 * Changes a webhook unless it has been deleted.
 *
 * @returns whether it was changed
 */
async function update(
  tenant: Tenant,
  id: string,
  change: {
    UpdateExpression: string;
    ConditionExpression?: string;
    ExpressionAttributeValues?: Record<string, unknown>;
  },
): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: config.eventsTable,
    Key: webhookKey(tenant, id),
    ConditionExpression: "attribute_exists(pk)",
    ...change,
  });
  return (await writeConditionally(() => dynamo.send(command), retries({ attempts: RETRIES }))) === undefined;
}
