import type { DueDelivery } from "../dynamo/keys.ts";
import { logWarning } from "../observability/logger.ts";
import type { Tenant } from "../tenant.ts";
import { type Claimed, claim, complete, type Delivery, hasten, postpone, releaseClaim } from "./delivery-repository.ts";
import { payloadOf } from "./event.ts";
import { readEvent } from "./event-repository.ts";
import { type Sent, send } from "./send.ts";
import { FAILING_DAYS, pauseOf, type SendFailure, secretsOf, type Webhook } from "./webhook.ts";
import { disableAsFailing, noteFailure, noteSuccess, readWebhook } from "./webhook-repository.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The pauses between attempts, the first of which is made at once (Standard Webhooks, "Deliverability"). */
const RETRY_MILLISECONDS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** The part of a pause by which it is made longer at random, so that a receiver's backlog is spread over time. */
const JITTER = 0.1;

/** The longest pause that a receiver can ask for: that of the last attempt. */
const LONGEST_PAUSE = DAY;

/**
 * An event that was read no longer ago is sent as it was. An erasure, which removes IDs from events, is later than that
 * for a message that is already on its way, too.
 */
const FRESH_MILLISECONDS = SECOND;

/**
 * The result of an attempt. A dropped delivery is one of a webhook that is gone or disabled, or of an expired event. A
 * webhook may have been failing before, since a time in ISO 8601.
 */
export type Outcome =
  | { kind: "delivered" }
  | { kind: "failed"; failure: SendFailure; failingSince: string | undefined; retryAt: number }
  | { kind: "given-up" }
  | { kind: "dropped" };

/**
 * Sends a due delivery once, and records the outcome.
 *
 * @returns undefined if it belongs to another run, or waits until its receiver wants to be sent something again
 * @throws the database's error; the delivery is due again when its lease ends
 */
export async function attempt(delivery: Delivery): Promise<Outcome | undefined> {
  const claimed = await claim(delivery);
  if (!claimed) {
    return undefined;
  }
  const { tenant, webhookId, eventId } = delivery;
  const { read } = delivery;
  const isFresh = read !== undefined && Date.now() - read.at < FRESH_MILLISECONDS;
  const event = isFresh ? read.event : await readEvent(tenant, claimed.shard, eventId);
  const webhook = await readWebhook(tenant, webhookId); // last, so that nothing is sent after its deletion
  if (!event || !webhook || webhook.disabled) {
    await complete(delivery);
    return { kind: "dropped" };
  }
  const pausedUntil = pauseOf(webhook, Date.now());
  if (pausedUntil) {
    await releaseClaim(delivery, claimed, Date.parse(pausedUntil));
    return undefined;
  }
  const message = { id: eventId, body: JSON.stringify(payloadOf(event)) };
  const sent = await send(webhook.url, secretsOf(webhook, Date.now()), message);
  if (sent.failure) {
    return recordFailure(delivery, claimed, webhook, { ...sent, failure: sent.failure });
  }
  await complete(delivery);
  if (webhook.failingSince) {
    await recover(tenant, webhook);
  }
  return { kind: "delivered" };
}

/**
 * Notes that a webhook that was failing has accepted a message. What waits for its next attempt is due at once, unless
 * it has failed for moments only: a receiver that fails now and then would use up all attempts of an event within
 * minutes.
 */
async function recover(tenant: Tenant, { id, failingSince = "" }: Webhook): Promise<void> {
  if (Date.now() - Date.parse(failingSince) >= MINUTE) {
    await hasten(tenant, id);
  }
  await noteSuccess(tenant, id); // last, so that the next success does what this one could not
}

const isoOf = (time: number) => new Date(time).toISOString();

async function recordFailure(
  delivery: DueDelivery,
  claimed: Claimed,
  webhook: Webhook,
  { failure, pause: wanted = 0 }: Sent & { failure: SendFailure },
): Promise<Outcome> {
  const { tenant } = delivery;
  const now = Date.now();
  const { failingSince } = webhook;
  const pausedUntil = wanted > 0 ? now + Math.min(wanted, LONGEST_PAUSE) : 0;
  const failsForDays = failingSince !== undefined && now - Date.parse(failingSince) > FAILING_DAYS * DAY;
  const isFailing = failsForDays && (await disableAsFailing(tenant, webhook.id, failure, failingSince));
  if (!isFailing || failure === "gone") {
    await noteFailure(tenant, webhook.id, failure, isoOf(now), pausedUntil > 0 ? isoOf(pausedUntil) : undefined);
  }
  const disabled = failure === "gone" ? "gone" : isFailing ? "failing" : undefined;
  if (disabled) {
    logWarning("webhook-disabled", { tenant, webhookId: webhook.id, because: disabled });
  }
  const pause = RETRY_MILLISECONDS[claimed.attempts - 1];
  if (disabled || pause === undefined) {
    await complete(delivery);
    return { kind: "given-up" };
  }
  const retryAt = Math.max(now + pause * (1 + JITTER * Math.random()), pausedUntil);
  await postpone(delivery, claimed, retryAt);
  return { kind: "failed", failure, failingSince, retryAt };
}
