import type { EventType } from "./event.ts";

/** An event and its deliveries are written in one transaction, which has room for 100. */
export const MOST_WEBHOOKS = 10;

/** How long a receiver has (Standard Webhooks, "Deliverability": 15 to 30 seconds). */
export const RECEIVER_MILLISECONDS = 15_000;

/** How long the previous secret signs too after a rotation. */
export const ROTATION_HOURS = 24;

/** For how long a webhook may fail without a success in between until it is disabled. */
export const FAILING_DAYS = 5;

/** Why a message was not accepted, in words that reveal nothing about what is behind the address. */
export type SendFailure = "status" | "redirect" | "gone" | "timeout" | "connection" | "address";

/** Where a tenant's events are sent. */
export interface Webhook {
  id: string;
  url: string;
  events: readonly EventType[];
  description?: string | undefined;
  /** ISO 8601, as all times below. */
  createdAt: string;
  /** As receivers configure it. */
  secret: string;
  previousSecret?: string | undefined;
  previousSecretUntil?: string | undefined;
  /** Since when no message was accepted; undefined if the last one was. */
  failingSince?: string | undefined;
  lastFailure?: SendFailure | undefined;
  /** Until when the receiver has asked not to be sent anything; past, or undefined, if it has not. */
  pausedUntil?: string | undefined;
  /** Why nothing is sent any more: the receiver answered with a 410, or it failed for days. */
  disabled?: "gone" | "failing" | undefined;
}

/** Returns the secrets that sign a message, the current one first. */
export function secretsOf({ secret, previousSecret, previousSecretUntil = "" }: Webhook, now: number): string[] {
  const overlaps = previousSecret !== undefined && Date.parse(previousSecretUntil) > now;
  return overlaps ? [secret, previousSecret] : [secret];
}

/** Returns until when nothing may be sent to a webhook, because its receiver asked for it; undefined if it may. */
export function pauseOf({ pausedUntil }: Pick<Webhook, "pausedUntil">, now: number): string | undefined {
  return pausedUntil !== undefined && Date.parse(pausedUntil) > now ? pausedUntil : undefined;
}

/** The fields that callers see after the creation: everything but the secrets. */
export function toWebhookInfo({ id, url, events, description, createdAt, ...webhook }: Webhook) {
  const { disabled, failingSince, lastFailure } = webhook;
  const pausedUntil = pauseOf(webhook, Date.now());
  const state = disabled ? ("disabled" as const) : failingSince ? ("failing" as const) : ("active" as const);
  return {
    id,
    url,
    events: [...events],
    description,
    createdAt,
    state,
    ...(disabled && { disabledBecause: disabled }),
    ...(failingSince && { failingSince, lastFailure }),
    ...(pausedUntil && { pausedUntil }),
  };
}

/** What a caller is told of a URL that is refused. */
export const URL_FAULTS = {
  format: "must be a URL",
  scheme: "must begin with https://",
  credentials: "must not contain a user name or a password",
  address: "must not lead to an address that is not public",
  name: "has a host that cannot be resolved",
} as const;

/** The `error` of a 404. */
export const NO_WEBHOOK = { error: "Webhook not found", code: "webhook-not-found" };

/** The `error` of a 409. */
export const TOO_MANY_WEBHOOKS = {
  error: `There are already ${MOST_WEBHOOKS} webhooks; delete one first`,
  code: "too-many-webhooks",
};
