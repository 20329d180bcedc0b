import { endpoint } from "../shared/http/endpoint.ts";
import { createThread as route } from "../shared/http/routes.ts";
import { createThread } from "../shared/threads/create-thread.ts";

export const handler = endpoint(route, ({ body }) => createThread(body));
