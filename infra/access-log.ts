import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * One line of JSON for each request ("Variables for access logging for API Gateway"). The route stands for the path,
 * which holds ids, and there is no query string, where a caller may have put its key.
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
