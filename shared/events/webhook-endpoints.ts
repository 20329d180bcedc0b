import type { Endpoint } from "../contract/endpoint.ts";
import { NO_WEBHOOK, RECEIVER_MILLISECONDS, TOO_MANY_WEBHOOKS } from "./webhook.ts";
import { createWebhookRequest } from "./webhook-requests.ts";

const texts = { "not-found": [NO_WEBHOOK] } as const;

const errors = (failure: string) => ({ shape: "generic", failure, texts }) as const;

/** What all operations on webhooks have in common. */
const webhooks = { function: "webhooks", canWait: true, p95Milliseconds: 1_500 } as const;

export const createWebhookEndpoint = {
  ...webhooks,
  name: "create-webhook",
  method: "POST",
  path: "/webhooks",
  status: 201,
  errors: { ...errors("Failed to create webhook"), texts: { conflict: [TOO_MANY_WEBHOOKS] } },
  database: { webhooks: ["PutItem", "UpdateItem"] },
  body: createWebhookRequest,
} as const satisfies Endpoint;

export const listWebhooksEndpoint = {
  ...webhooks,
  name: "list-webhooks",
  method: "GET",
  path: "/webhooks",
  status: 200,
  errors: { shape: "generic", failure: "Failed to list webhooks" },
  database: { webhooks: ["Query"] },
} as const satisfies Endpoint;

export const deleteWebhookEndpoint = {
  ...webhooks,
  name: "delete-webhook",
  method: "DELETE",
  path: "/webhooks/{id}",
  status: 200,
  errors: errors("Failed to delete webhook"),
  database: { webhooks: ["DeleteItem", "UpdateItem"] },
} as const satisfies Endpoint;

export const rotateWebhookEndpoint = {
  ...webhooks,
  name: "rotate-webhook",
  method: "POST",
  path: "/webhooks/{id}/rotate",
  status: 200,
  errors: errors("Failed to rotate secret"),
  database: { webhooks: ["UpdateItem"] },
} as const satisfies Endpoint;

export const testWebhookEndpoint = {
  ...webhooks,
  name: "test-webhook",
  method: "POST",
  path: "/webhooks/{id}/test",
  status: 200,
  errors: errors("Failed to test webhook"),
  p95Milliseconds: RECEIVER_MILLISECONDS + 1_500, // waits for the receiver
  lambda: { timeoutSeconds: 25 }, // the receiver's time, and as much for the database as a read and a write can take
  database: { webhooks: ["GetItem", "Query", "UpdateItem"] },
} as const satisfies Endpoint;

/** All endpoints of webhooks, for the OpenAPI document and the deployment. */
export const webhookEndpoints = [
  createWebhookEndpoint,
  listWebhooksEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookEndpoint,
  testWebhookEndpoint,
] as const;
