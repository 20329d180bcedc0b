import { publicHandler } from "../shared/http/public-handler.ts";
import { baseUrlOf, openApiDocument } from "../shared/openapi/document.ts";
import { openapiEndpoint, type openapiOperation } from "../shared/openapi/endpoints.ts";

export const handler = publicHandler<typeof openapiOperation>(openapiEndpoint, async (event) =>
  openApiDocument(baseUrlOf(event)),
);
