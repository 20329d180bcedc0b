import { join } from "node:path";
import { readPage } from "../shared/http/page.ts";
import { pageHandler } from "../shared/http/page-handler.ts";
import { docsEndpoint } from "../shared/openapi/endpoints.ts";

const page = readPage(join(import.meta.dirname, "page.json"));

export const handler = pageHandler(docsEndpoint, () => page);
