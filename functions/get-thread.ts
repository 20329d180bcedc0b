import { loadApiKeys } from "../shared/auth/api-keys.ts";
import { endpoint } from "../shared/http/endpoint.ts";
import { getThread as route } from "../shared/openapi/routes.ts";
import { getThread } from "../shared/threads/get-thread.ts";
import { readThread } from "../shared/threads/thread-repository.ts";
import { NO_ID, warmUp } from "../shared/warm-up.ts";

await warmUp(loadApiKeys, () => readThread(NO_ID));

export const handler = endpoint(route, ({ id }) => getThread(id));
