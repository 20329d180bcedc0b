import { Readable } from "node:stream";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Endpoint } from "../contract/endpoint.ts";
import { header } from "../contract/header.ts";
import type { RequestContext } from "../request/request-context.ts";
import { type Page, pageResponse } from "./page.ts";
import { pipeline } from "./pipeline.ts";

/**
 * Creates the Lambda handler of an endpoint that serves public content: a page, which needs no key and reads no data.
 *
 * It uses Lambda's response streaming because compressed bytes then pass through a REST API unchanged. Buffered, they
 * would have to be sent in base64, which the gateway decodes only for callers whose `Accept` starts with one of the
 * API's binary media types; those also change how all other endpoints receive their bodies (API Gateway Developer
 * Guide, "Binary media types for REST APIs").
 *
 * @param pageOf returns the page for a request
 */
export function pageHandler(
  endpoint: Endpoint & { public: true; content: string },
  pageOf: (event: APIGatewayProxyEvent) => Page,
) {
  const respond = async (_: RequestContext, event: APIGatewayProxyEvent) => {
    const { statusCode, headers, body } = pageResponse(pageOf(event), {
      accept: header(event, "accept"),
      acceptEncoding: header(event, "accept-encoding"),
      ifNoneMatch: header(event, "if-none-match"),
    });
    return { statusCode, headers, body: Readable.from([body]) };
  };
  return pipeline(endpoint, { respond, executionMode: executionModeStreamifyResponse });
}
