import { chat } from "../shared/chat/chat.ts";
import { endpoint } from "../shared/http/endpoint.ts";
import { chat as route } from "../shared/http/routes.ts";

export const handler = endpoint(route, ({ body, remainingMilliseconds }) => chat(body, remainingMilliseconds));
