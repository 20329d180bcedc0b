import { DEFAULT_PAGE_ITEMS } from "../shared/contract/page.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { namesOf, pageOf } from "../shared/http/query.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { listMessagesEndpoint, MESSAGE_FIELDS } from "../shared/threads/endpoints.ts";
import { listMessages } from "../shared/threads/list-messages.ts";
import { readThread } from "../shared/threads/thread-repository.ts";

await warmUp(() => readThread(SERVICE.tenant, NO_ID));

export const handler = jsonHandler(listMessagesEndpoint, async ({ context, id, event }) => {
  const include = new Set(namesOf(event, "include", MESSAGE_FIELDS, []));
  return { body: await listMessages(context, id, pageOf(event, DEFAULT_PAGE_ITEMS), include) };
});
