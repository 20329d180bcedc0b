import { pageEndpoint } from "../shared/http/page-endpoint.ts";
import { docs as route } from "../shared/openapi/routes.ts";

export const handler = pageEndpoint(route);
