import { join } from "node:path";
import { Readable } from "node:stream";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyResult } from "aws-lambda";
import { header } from "../header.ts";
import type { Route } from "../openapi/routes.ts";
import { pageResponse, readPage } from "./page.ts";
import { pipeline } from "./pipeline.ts";

/**
 * Makes the Lambda handler of a route that shows a web page to anyone. It needs no key, no secret and no client of AWS,
 * and so loads none. The page lies beside the bundle (`web/build.ts`).
 *
 * It answers through Lambda's response streaming, since then compressed bytes pass through a REST API as they are.
 * Buffered, they would have to be sent in base64, and the gateway decodes that only for callers whose `Accept` begins
 * with one of the API's binary media types, which also change how all other routes get their bodies (API Gateway
 * Developer Guide, "Binary media types for REST APIs").
 *
 * @throws Error when the page was not built
 */
export function pageEndpoint<R extends Route & { public: true; page: true }>(route: R) {
  const page = readPage(join(import.meta.dirname, "page.json"));
  return pipeline(route, {
    respond: async ({ event }) => {
      const { statusCode, headers, body } = pageResponse(page, {
        acceptEncoding: header(event, "accept-encoding"),
        ifNoneMatch: header(event, "if-none-match"),
      });
      // middy's own type knows only strings
      return { statusCode, headers, body: Readable.from([body]) } as unknown as APIGatewayProxyResult;
    },
    plugin: { executionMode: executionModeStreamifyResponse },
  });
}
