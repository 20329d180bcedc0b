import { DEFAULT_PAGE_ITEMS } from "../shared/contract/page.ts";
import { listEventsEndpoint } from "../shared/events/endpoints.ts";
import { readEvents } from "../shared/events/event-repository.ts";
import { listEvents } from "../shared/events/list-events.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { pageAfter } from "../shared/http/query.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { SERVICE } from "../shared/request/caller.ts";

await warmUp(() => readEvents(SERVICE.tenant, NO_ID, `${NO_ID}~`, 1));

export const handler = jsonHandler(listEventsEndpoint, async ({ context, event }) => ({
  body: await listEvents(context, pageAfter(event, DEFAULT_PAGE_ITEMS)),
}));
