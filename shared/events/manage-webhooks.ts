import { randomBytes } from "node:crypto";
import type { ResponseOf } from "../contract/operation.ts";
import { WEBHOOK_PREFIX } from "../dynamo/keys.ts";
import { invalidField, ServiceError } from "../errors.ts";
import { logInfo } from "../observability/logger.ts";
import type { CallerContext } from "../request/request-context.ts";
import { hasten, oldestUndelivered } from "./delivery-repository.ts";
import { checkDestination, RefusedDestination } from "./destination.ts";
import { eventIdAt, eventTimeOf } from "./event.ts";
import { send } from "./send.ts";
import { newSecret } from "./signature.ts";
import {
  NO_WEBHOOK,
  ROTATION_HOURS,
  secretsOf,
  TOO_MANY_WEBHOOKS,
  toWebhookInfo,
  URL_FAULTS,
  type Webhook,
} from "./webhook.ts";
import type { webhookDocs } from "./webhook-docs.ts";
import { enable, insertWebhook, readWebhook, readWebhooks, removeWebhook, rotateSecret } from "./webhook-repository.ts";
import type { CreateWebhookRequest } from "./webhook-requests.ts";

/**
 * `POST /webhooks`: creates a webhook.
 *
 * @returns the webhook, and its secret for the only time
 * @throws ServiceError `invalid` for a URL to which nothing may be sent; `conflict` if there are too many webhooks
 */
export async function createWebhook(
  { caller: { tenant } }: CallerContext,
  { url, events, description }: CreateWebhookRequest,
): Promise<ResponseOf<typeof webhookDocs, "create-webhook">> {
  await checkUrl(url);
  const webhook: Webhook = {
    id: `${WEBHOOK_PREFIX}${randomBytes(12).toString("hex")}`,
    url,
    events: [...new Set(events)],
    description,
    createdAt: new Date().toISOString(),
    secret: newSecret(),
  };
  if (!(await insertWebhook(tenant, webhook))) {
    throw new ServiceError("conflict", TOO_MANY_WEBHOOKS);
  }
  logInfo("webhook-created", { tenant, webhookId: webhook.id });
  return { success: true, webhook: toWebhookInfo(webhook), secret: webhook.secret };
}

async function checkUrl(url: string): Promise<void> {
  const fault = await checkDestination(url).then(
    () => undefined,
    (error) =>
      error instanceof RefusedDestination ? error.refusal : error instanceof TypeError ? ("format" as const) : "name",
  );
  if (fault) {
    throw invalidField("url", URL_FAULTS[fault]);
  }
}

/** `GET /webhooks`: lists the tenant's webhooks, the oldest first, without their secrets. */
export async function listWebhooks({
  caller: { tenant },
}: CallerContext): Promise<ResponseOf<typeof webhookDocs, "list-webhooks">> {
  const webhooks = await readWebhooks(tenant);
  webhooks.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  const withAges = webhooks.map(async (webhook) => {
    const eventId = await oldestUndelivered(tenant, webhook.id);
    const undeliveredSince = eventId && new Date(eventTimeOf(eventId)).toISOString();
    return { ...toWebhookInfo(webhook), ...(undeliveredSince && { undeliveredSince }) };
  });
  return { success: true, webhooks: await Promise.all(withAges) };
}

/**
 * `DELETE /webhooks/{id}`: deletes a webhook. What has not been sent to it yet is dropped when it is due.
 *
 * @throws ServiceError `not-found`
 */
export async function deleteWebhook(
  { caller: { tenant } }: CallerContext,
  id: string,
): Promise<ResponseOf<typeof webhookDocs, "delete-webhook">> {
  if (!isWebhookId(id) || !(await removeWebhook(tenant, id))) {
    throw new ServiceError("not-found", NO_WEBHOOK);
  }
  logInfo("webhook-deleted", { tenant, webhookId: id });
  return { success: true, message: "Webhook deleted successfully" };
}

/**
 * `POST /webhooks/{id}/rotate`: replaces the secret. Messages are signed with both for {@link ROTATION_HOURS}.
 *
 * @returns the new secret for the only time, and until when the previous one is valid
 * @throws ServiceError `not-found`
 */
export async function rotateWebhook(
  { caller: { tenant } }: CallerContext,
  id: string,
): Promise<ResponseOf<typeof webhookDocs, "rotate-webhook">> {
  const secret = newSecret();
  const previousSecretUntil = new Date(Date.now() + ROTATION_HOURS * 60 * 60 * 1000).toISOString();
  if (!isWebhookId(id) || !(await rotateSecret(tenant, id, secret, previousSecretUntil))) {
    throw new ServiceError("not-found", NO_WEBHOOK);
  }
  logInfo("webhook-secret-rotated", { tenant, webhookId: id });
  return { success: true, secret, previousSecretUntil };
}

/**
 * `POST /webhooks/{id}/test`: sends a signed message of the type `webhook.test` now, once. If it is accepted, a
 * disabled webhook is enabled again.
 *
 * @throws ServiceError `not-found`
 */
export async function testWebhook(
  { caller: { tenant } }: CallerContext,
  id: string,
): Promise<ResponseOf<typeof webhookDocs, "test-webhook">> {
  const webhook = isWebhookId(id) ? await readWebhook(tenant, id) : undefined;
  if (!webhook) {
    throw new ServiceError("not-found", NO_WEBHOOK);
  }
  const now = Date.now();
  const body = JSON.stringify({ type: "webhook.test", timestamp: new Date(now).toISOString(), data: {} });
  const message = { id: `${eventIdAt(now)}${randomBytes(12).toString("hex")}`, body };
  const { status, failure } = await send(webhook.url, secretsOf(webhook, now), message);
  if (!failure) {
    await enable(tenant, id);
    await hasten(tenant, id); // after the end of a pause, which would put off again what is due
  }
  return { success: true, accepted: failure === undefined, status, failure };
}

/** Also keeps the key of the webhooks' number from being used as an id. */
function isWebhookId(id: string): boolean {
  return new RegExp(`^${WEBHOOK_PREFIX}[0-9a-f]{24}$`).test(id);
}
