import { pageHandler } from "../shared/http/page-handler.ts";
import { docsEndpoint } from "../shared/openapi/endpoints.ts";

export const handler = pageHandler(docsEndpoint);
