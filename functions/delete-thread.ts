import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { endpoint } from "../shared/http/endpoint.ts";
import { deleteThread as route } from "../shared/openapi/routes.ts";
import { deleteThread } from "../shared/threads/delete-thread.ts";
import { removeThread } from "../shared/threads/thread-removal-repository.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(loadApiKeys, () => removeThread(NO_ID, "active"));

export const handler = endpoint(route, ({ id }) => deleteThread(id));
