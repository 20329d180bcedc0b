import type { RequestListener } from "node:http";
import { join } from "node:path";
import { pageResponse, readPage } from "../shared/http/page.ts";

/** Where `web/build.ts` puts the playground. */
const PLAYGROUND = join(import.meta.dirname, "..", ".build", "functions", "playground", "page.json");

/**
 * Serves the playground at `/`, which is outside of the stage and therefore not a path of the gateway.
 *
 * @param gateway receives all other requests
 * @throws Error if the page was not built; synthesizing the template builds it
 */
export function withRootPage(gateway: RequestListener): RequestListener {
  const page = readPage(PLAYGROUND);
  return (request, response) => {
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/") {
      return gateway(request, response);
    }
    const { statusCode, headers, body } = pageResponse(page, {
      acceptEncoding: String(request.headers["accept-encoding"] ?? ""),
      ifNoneMatch: request.headers["if-none-match"],
    });
    response.writeHead(statusCode, headers).end(body);
  };
}
