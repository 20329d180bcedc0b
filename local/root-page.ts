import type { RequestListener } from "node:http";
import { isOwnPage } from "../packages/lambda-local/own-page.ts";
import { pageResponse, readPage } from "../shared/http/page.ts";
import { table } from "../shared/table.ts";
import type { OfflineModel } from "./offline-model.ts";

/**
 * Serves the playground at `/`, and leads from `/docs` to the reference, which is in the stage; and to the pages of
 * this machine, the local key at `/local-service.json`, and at `/local-model.json` what the offline model received
 * last. All are outside the stage and therefore not paths of the gateway.
 *
 * What the model received is forgotten with the next request that changes something, a deletion for example: it must
 * not outlive the patient, nor be shown for a message that no model was asked about. Nor is it served if such requests
 * overlapped: it may be another one's.
 *
 * @param gateway receives all other requests
 * @param playground the page's file, in the assembly (`infra/service-app.ts`)
 * @param reference the path of the reference
 * @param apiKey given only to pages served by this machine, neither to other machines nor to other sites' pages
 * @param offlineModel undefined if a real model answers
 * @throws Error if there is no such file
 */
export function withRootPage(
  gateway: RequestListener,
  playground: string,
  reference: string,
  apiKey: string,
  offlineModel: OfflineModel | undefined,
): RequestListener {
  const page = readPage(playground);
  let changing = 0;
  let overlapped = false;
  const ownContent = table<() => unknown>({
    "/local-service.json": () => ({ apiKey, offlineModel: offlineModel !== undefined }),
    "/local-model.json": () => offlineModel && { messages: overlapped ? [] : offlineModel.lastMessages() },
  });
  return (request, response) => {
    const own = request.method === "GET" && isOwnPage(request) && ownContent[request.url ?? ""]?.();
    if (own) {
      response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
      return response.end(JSON.stringify(own));
    }
    if (request.method === "GET" && ["/docs", "/docs/", `${reference}/`].includes(request.url ?? "")) {
      return response.writeHead(302, { location: reference }).end();
    }
    if (request.method === "GET" && ["/openapi.json", "/llms.txt"].includes(request.url ?? "")) {
      return response.writeHead(302, { location: reference.replace("/docs", request.url ?? "") }).end();
    }
    if (request.method !== "GET") {
      offlineModel?.forget();
      overlapped = changing > 0;
      changing++;
      response.once("close", () => {
        changing--;
      });
    }
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
