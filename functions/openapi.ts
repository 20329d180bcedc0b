import { endpoint } from "../shared/http/endpoint.ts";
import { baseUrlOf, openApiDocument } from "../shared/http/openapi.ts";
import { openapi as route } from "../shared/http/routes.ts";

export const handler = endpoint(route, async ({ event }) => openApiDocument(baseUrlOf(event)));
