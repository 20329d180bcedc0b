import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhook,
  testWebhook,
} from "../shared/events/manage-webhooks.ts";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhooksEndpoint,
  rotateWebhookEndpoint,
  testWebhookEndpoint,
} from "../shared/events/webhook-endpoints.ts";
import { readWebhook } from "../shared/events/webhook-repository.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readWebhook(SERVICE.tenant, NO_ID));

export const handler = resourceHandler(
  jsonHandler(
    createWebhookEndpoint,
    async ({ context, body }) => ({ body: await createWebhook(context, body) }),
    jsonBody,
  ),
  jsonHandler(listWebhooksEndpoint, async ({ context }) => ({ body: await listWebhooks(context) })),
  jsonHandler(deleteWebhookEndpoint, async ({ context, id }) => ({ body: await deleteWebhook(context, id) })),
  jsonHandler(rotateWebhookEndpoint, async ({ context, id }) => ({ body: await rotateWebhook(context, id) })),
  jsonHandler(testWebhookEndpoint, async ({ context, id }) => ({ body: await testWebhook(context, id) })),
);
