import { pageHandler } from "../shared/http/page-handler.ts";
import { playgroundEndpoint } from "../shared/openapi/endpoints.ts";

export const handler = pageHandler(playgroundEndpoint);
