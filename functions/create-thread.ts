import { endpoint } from "../shared/http/endpoint.ts";
import { jsonBody } from "../shared/http/parse-request.ts";
import { createThread as route } from "../shared/http/routes.ts";
import { createThread } from "../shared/threads/create-thread.ts";
import { createThreadRequest } from "../shared/threads/thread-schemas.ts";

export const handler = endpoint(route, ({ body }) => createThread(body), jsonBody(createThreadRequest));
