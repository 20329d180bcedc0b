import { jsonPage, type Page } from "../shared/http/page.ts";
import { pageHandler } from "../shared/http/page-handler.ts";
import { baseUrlOf, openApiDocument } from "../shared/openapi/document.ts";
import { openapiEndpoint } from "../shared/openapi/endpoints.ts";

/** The last document and its address: compressing takes longer than all else, and hardly any stack has two. */
let last: { baseUrl: string; page: Page } | undefined;

export const handler = pageHandler(openapiEndpoint, (event) => {
  const baseUrl = baseUrlOf(event);
  if (last?.baseUrl !== baseUrl) {
    last = { baseUrl, page: jsonPage(openApiDocument(baseUrl)) };
  }
  return last.page;
});
