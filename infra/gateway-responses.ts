import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { pascalCase } from "./pascal-case.ts";

/** What the gateway answers itself, in the generic error form, which satisfies the other one too. */
export function addGatewayResponses(restApi: RestApi): void {
  const answer = (type: ResponseType, error: string, statusCode?: string) =>
    restApi.addGatewayResponse(pascalCase(type.responseType.toLowerCase().replaceAll("_", "-")), {
      type,
      ...(statusCode && { statusCode }),
      responseHeaders: { "x-request-id": "context.requestId" },
      templates: { "application/json": `{"success":false,"error":${error}}` },
    });
  // Without an authorizer, this is how the gateway says that it knows no such route or method.
  answer(ResponseType.MISSING_AUTHENTICATION_TOKEN, '"Not found"', "404");
  answer(ResponseType.REQUEST_TOO_LARGE, '"Request body is too large"', "413");
  answer(ResponseType.THROTTLED, '"Too many requests"', "429");
  answer(ResponseType.QUOTA_EXCEEDED, '"Too many requests"', "429");
  // What the firewall refused without an answer of its own; where it has one, that goes out instead of this ("Gateway
  // response types").
  answer(ResponseType.WAF_FILTERED, '"Forbidden"', "403");
  answer(ResponseType.DEFAULT_4XX, "$context.error.messageString");
  answer(ResponseType.DEFAULT_5XX, '"Internal server error"', "500");
}
