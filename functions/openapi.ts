import { baseUrlOf, openApiDocument } from "../shared/http/openapi.ts";
import { publicEndpoint } from "../shared/http/public-endpoint.ts";
import { openapi as route } from "../shared/http/routes.ts";

export const handler = publicEndpoint(route, async ({ event }) => openApiDocument(baseUrlOf(event)));
