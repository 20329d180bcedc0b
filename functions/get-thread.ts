import { jsonHandler } from "../shared/http/json-handler.ts";
import { includes } from "../shared/http/query.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { getThreadEndpoint } from "../shared/threads/endpoints.ts";
import { getThread } from "../shared/threads/get-thread.ts";
import { readThread } from "../shared/threads/thread-repository.ts";

await warmUp(() => readThread(SERVICE.tenant, NO_ID));

export const handler = jsonHandler(getThreadEndpoint, async ({ context, id, event }) => ({
  body: await getThread(context, id, includes(event, "metadata")),
}));
