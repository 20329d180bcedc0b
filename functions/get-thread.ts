import { endpoint } from "../shared/http/endpoint.ts";
import { getThread as route } from "../shared/http/routes.ts";
import { getThread } from "../shared/threads/get-thread.ts";

export const handler = endpoint(route, ({ id }) => getThread(id));
