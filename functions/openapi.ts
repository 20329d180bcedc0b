import { publicEndpoint } from "../shared/http/public-endpoint.ts";
import { baseUrlOf, openApiDocument } from "../shared/openapi/document.ts";
import { openapi as route } from "../shared/openapi/routes.ts";

export const handler = publicEndpoint(route, async ({ event }) => openApiDocument(baseUrlOf(event)));
