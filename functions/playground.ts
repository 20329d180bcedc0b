import { pageEndpoint } from "../shared/http/page-endpoint.ts";
import { playground as route } from "../shared/openapi/playground-route.ts";

export const handler = pageEndpoint(route);
