import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { shapedError } from "../shared/http/error-shape.ts";
import { pascalCase } from "./pascal-case.ts";

/** A variable of the gateway's, which replaces the quoted text with a JSON string of its own. */
const GATEWAY_MESSAGE = "$context.error.messageString";

/** The gateway's own error responses, in the generic shape, which satisfies the other one too. */
export function addGatewayResponses(restApi: RestApi): void {
  const add = (type: ResponseType, error: string, statusCode?: string) =>
    restApi.addGatewayResponse(pascalCase(type.responseType.toLowerCase().replaceAll("_", "-")), {
      type,
      ...(statusCode && { statusCode }),
      responseHeaders: { "x-request-id": "context.requestId" },
      templates: {
        "application/json": JSON.stringify(shapedError("generic", { error })).replace(
          JSON.stringify(GATEWAY_MESSAGE),
          GATEWAY_MESSAGE,
        ),
      },
    });
  // Without an authorizer, this is the response to an unknown route or method.
  add(ResponseType.MISSING_AUTHENTICATION_TOKEN, "Not found", "404");
  add(ResponseType.REQUEST_TOO_LARGE, "Request body is too large", "413");
  add(ResponseType.THROTTLED, "Too many requests", "429");
  add(ResponseType.QUOTA_EXCEEDED, "Too many requests", "429");
  // A request that the firewall blocked without a response of its own; with one, that is sent instead ("Gateway response
  // types").
  add(ResponseType.WAF_FILTERED, "Forbidden", "403");
  add(ResponseType.DEFAULT_4XX, GATEWAY_MESSAGE);
  add(ResponseType.DEFAULT_5XX, "Internal server error", "500");
}
