import { Duration } from "aws-cdk-lib";
import type { IResource } from "aws-cdk-lib/aws-apigateway";
import { CORS_EXPOSED_HEADERS, CORS_REQUEST_HEADERS } from "../shared/http/cors-headers.ts";

/** The response headers that let pages of an origin read a response; none if the origin is "". */
export function corsResponseHeaders(origin: string): Record<string, string> {
  return origin === ""
    ? {}
    : {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": CORS_EXPOSED_HEADERS.join(","),
      };
}

/** Makes the gateway answer preflight requests to a resource, which browsers send without the API key. */
export function addPreflight(resource: IResource, origin: string, methods: string[]): void {
  resource.addCorsPreflight({
    allowOrigins: [origin],
    allowMethods: methods,
    allowHeaders: CORS_REQUEST_HEADERS,
    maxAge: Duration.hours(1),
    statusCode: 204,
  });
}
