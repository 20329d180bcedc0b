import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { jsonHandler } from "../shared/http/json-handler.ts";
import { deleteThread } from "../shared/threads/delete-thread.ts";
import { deleteThreadEndpoint, type deleteThreadOperation } from "../shared/threads/endpoints.ts";
import { removeThread } from "../shared/threads/thread-removal-repository.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(loadApiKeys, () => removeThread(NO_ID, "active"));

export const handler = jsonHandler<typeof deleteThreadOperation>(deleteThreadEndpoint, ({ id }) => deleteThread(id));
