import {
  createWebhookEndpoint,
  type createWebhookOperation,
  deleteWebhookEndpoint,
  type deleteWebhookOperation,
  listWebhooksEndpoint,
  type listWebhooksOperation,
  rotateWebhookEndpoint,
  type rotateWebhookOperation,
  testWebhookEndpoint,
  type testWebhookOperation,
} from "../shared/events/endpoints.ts";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhook,
  testWebhook,
} from "../shared/events/manage-webhooks.ts";
import { readWebhook } from "../shared/events/webhook-repository.ts";
import { createWebhookRequest } from "../shared/events/webhook-requests.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readWebhook(SERVICE.tenant, NO_ID));

export const handler = resourceHandler(
  jsonHandler<typeof createWebhookOperation>(
    createWebhookEndpoint,
    ({ context, body }) => createWebhook(context, body),
    jsonBody(createWebhookRequest),
  ),
  jsonHandler<typeof listWebhooksOperation>(listWebhooksEndpoint, ({ context }) => listWebhooks(context)),
  jsonHandler<typeof deleteWebhookOperation>(deleteWebhookEndpoint, ({ context, id }) => deleteWebhook(context, id)),
  jsonHandler<typeof rotateWebhookOperation>(rotateWebhookEndpoint, ({ context, id }) => rotateWebhook(context, id)),
  jsonHandler<typeof testWebhookOperation>(testWebhookEndpoint, ({ context, id }) => testWebhook(context, id)),
);
