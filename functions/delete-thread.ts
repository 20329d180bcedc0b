import { preconditionsOf } from "../shared/contract/preconditions.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { NO_ID, warmUp } from "../shared/http/warm-up.ts";
import { SERVICE } from "../shared/request/caller.ts";
import { deleteThread } from "../shared/threads/delete-thread.ts";
import { deleteThreadEndpoint } from "../shared/threads/endpoints.ts";
import { removeThread } from "../shared/threads/thread-removal-repository.ts";

await warmUp(() => removeThread(SERVICE.tenant, NO_ID));

export const handler = jsonHandler(deleteThreadEndpoint, async ({ context, id, event }) => ({
  body: await deleteThread(context, id, preconditionsOf(event)),
}));
