import type { IncomingMessage, RequestListener } from "node:http";
import { pageResponse, readPage } from "../shared/http/page.ts";

/** The names of this machine in a browser that runs on it. */
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Serves the playground at `/`, and the local key to the reference at `/local-service.json`. Both are outside the stage
 * and therefore not paths of the gateway.
 *
 * @param gateway receives all other requests
 * @param playground the page's file, in the assembly (`infra/service-app.ts`)
 * @param apiKey given only to pages served by this machine, neither to other machines nor to other sites' pages
 * @throws Error if there is no such file
 */
export function withRootPage(gateway: RequestListener, playground: string, apiKey: string): RequestListener {
  const page = readPage(playground);
  return (request, response) => {
    if (request.method === "GET" && request.url === "/local-service.json" && isOwnPage(request)) {
      response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
      return response.end(JSON.stringify({ apiKey }));
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

/**
 * Whether the request comes from a page of this service on this machine. Checking the host name prevents DNS rebinding.
 */
function isOwnPage({ headers, socket }: IncomingMessage): boolean {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
  const name = URL.parse(`http://${headers.host}`)?.hostname ?? "";
  return isLoopback && LOOPBACK.includes(name) && headers["sec-fetch-site"] === "same-origin";
}
