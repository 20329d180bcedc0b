import { join } from "node:path";
import { readPage } from "../shared/http/page.ts";
import { pageHandler } from "../shared/http/page-handler.ts";
import { resourceHandler } from "../shared/http/resource-handler.ts";
import { docsEndpoint, llmsEndpoint } from "../shared/openapi/endpoints.ts";

const page = readPage(join(import.meta.dirname, "page.json"));

export const handler = resourceHandler(
  pageHandler(docsEndpoint, () => page),
  pageHandler(llmsEndpoint, () => page.llms ?? page),
);
