import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * One line of JSON per request ("Variables for access logging for API Gateway"). It contains the route instead of the
 * path, which contains IDs, and no query string, because callers may put their key there.
 */
export const ACCESS_LOG_FORMAT = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    time: "$context.requestTime",
    address: "$context.identity.sourceIp",
    method: "$context.httpMethod",
    route: "$context.resourcePath",
    status: "$context.status",
    milliseconds: "$context.responseLatency",
    integrationStatus: "$context.integration.status",
    integrationMilliseconds: "$context.integration.latency",
    bytes: "$context.responseLength",
    gatewayResponse: "$context.error.responseType",
    firewall: "$context.waf.status",
  }),
);
