import * as z from "zod/mini";
import { documented } from "../contract/fields.ts";
import { type Docs, invalid, success } from "../contract/operation.ts";
import { webhookInfo, webhookSecret } from "./event-responses.ts";
import { FAILING_DAYS, MOST_WEBHOOKS, RECEIVER_MILLISECONDS, ROTATION_HOURS, URL_FAULTS } from "./webhook.ts";
import type { webhookEndpoints } from "./webhook-endpoints.ts";

const WEBHOOK_ID = { description: "The webhook's id", example: "wh_5f3a1c0b9d2e4f6a8b7c1d2e" };

const WEBHOOK_EXAMPLE = {
  id: WEBHOOK_ID.example,
  url: "https://clinic.example.com/hooks/assistant",
  events: ["safety.alert", "thread.expired"] as ("safety.alert" | "thread.expired")[],
  createdAt: "2026-03-01T09:00:00.000Z",
  state: "active" as const,
};

const SECRET_EXAMPLE = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=";

/** What the OpenAPI document says about this resource's endpoints, by their names. */
export const webhookDocs = {
  "create-webhook": {
    tag: "Events",
    summary: "Create a webhook",
    description: `From now on, events of the chosen types are sent to the URL, signed as in Standard Webhooks. The
\`secret\` verifies the signatures; it is shown only in this response. There can be ${MOST_WEBHOOKS} webhooks, which all keys
of your organization share.

A message is sent at least once: \`webhook-id\` is the same in each repetition. The receiver has ${RECEIVER_MILLISECONDS / 1000} seconds to answer with a
2xx; redirects are not followed. Otherwise it is sent again after 5 seconds (or within a minute, if others failed before), 5 minutes, 30 minutes, and 2, 5, 10, 14, 20 and
24 hours. A 429 or 503 with \`Retry-After\` is obeyed: until then, for at most a day, the receiver is sent nothing, and \`pausedUntil\` says so. As soon as a receiver that has failed for a minute accepts a message, all others are due. A 410 disables the webhook, and so does accepting nothing for ${FAILING_DAYS} days; a successful test enables it again.
\`GET /events\` has what was not delivered.

The URL must begin with https://, and its host must have public addresses only.`,
    bodyRequired: true,
    response: success("CreateWebhookResult", { webhook: webhookInfo, secret: webhookSecret }),
    requests: {
      "Alerts and expiries": { url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events },
    },
    success: { Created: { success: true, webhook: WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE } },
    links: {
      testWebhook: { description: "Send a test message", id: "$response.body#/webhook/id" },
      rotateWebhook: { description: "Replace the secret", id: "$response.body#/webhook/id" },
      deleteWebhook: { description: "Delete the webhook", id: "$response.body#/webhook/id" },
    },
    errors: { invalid: [invalid("url", URL_FAULTS.scheme), invalid("url", URL_FAULTS.address)] },
  },

  "list-webhooks": {
    tag: "Events",
    summary: "List webhooks",
    description:
      "Returns all webhooks, the oldest first, with their states and without their secrets. `undeliveredSince` and `lastFailure` show whether your receiver misses something, and `pausedUntil` whether it has asked for a pause.",
    response: success("ListWebhooksResult", { webhooks: z.array(webhookInfo) }),
    success: { "One webhook": { success: true, webhooks: [WEBHOOK_EXAMPLE] } },
  },

  "delete-webhook": {
    tag: "Events",
    summary: "Delete a webhook",
    description:
      "Nothing is sent to it any more, not even what had to be repeated. A message that is being sent at that moment may still arrive.",
    id: WEBHOOK_ID,
    response: success("DeleteWebhookResult", { message: z.literal("Webhook deleted successfully") }),
    success: { Deleted: { success: true, message: "Webhook deleted successfully" } },
  },

  "rotate-webhook": {
    tag: "Events",
    summary: "Replace a webhook's secret",
    description: `Returns a new secret, which is shown only in this response. For ${ROTATION_HOURS} hours, messages have a signature with each of the two
secrets, so receivers can change theirs in the meantime. A second rotation within that time ends the oldest secret.`,
    id: WEBHOOK_ID,
    response: success("RotateWebhookResult", {
      secret: webhookSecret,
      previousSecretUntil: documented(z.iso.datetime(), { description: "ISO 8601, UTC" }),
    }),
    success: {
      Rotated: { success: true, secret: SECRET_EXAMPLE, previousSecretUntil: "2026-03-02T09:00:00.000Z" },
    },
  },

  "test-webhook": {
    tag: "Events",
    summary: "Test a webhook",
    description: `Sends a signed message of the type \`webhook.test\` now, once, and returns the receiver's status. If it is accepted, a disabled webhook
is enabled again, a pause that its receiver asked for is over, and what waits for its next attempt is sent within a minute.`,
    id: WEBHOOK_ID,
    response: success("TestWebhookResult", {
      accepted: documented(z.boolean(), { description: "Whether the receiver answered with a 2xx" }),
      status: z.optional(documented(z.int(), { description: "The receiver's status, if it answered" })),
      failure: webhookInfo.shape.lastFailure,
    }),
    success: {
      Accepted: { success: true, accepted: true, status: 204 },
      "Not answered": { success: true, accepted: false, failure: "timeout" },
    },
  },
} satisfies Docs<typeof webhookEndpoints>;
