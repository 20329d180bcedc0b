import { endpoint } from "../shared/http/endpoint.ts";
import { deleteThread as route } from "../shared/http/routes.ts";
import { deleteThread } from "../shared/threads/delete-thread.ts";

export const handler = endpoint(route, ({ id }) => deleteThread(id));
