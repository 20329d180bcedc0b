import type { APIGatewayProxyEvent } from "aws-lambda";
import { contents } from "./contents.ts";
import { openapiEndpoint } from "./endpoints.ts";

/**
 * Returns the OpenAPI 3.1 document of a deployment.
 *
 * @param baseUrl its address
 */
export function openApiDocument(baseUrl: string) {
  return { ...contents, servers: [{ url: baseUrl }] };
}

/** Returns the base URL of a request as seen by its caller, with the stage or the custom base path. */
export function baseUrlOf({ requestContext, headers }: APIGatewayProxyEvent): string {
  const protocol = headers["X-Forwarded-Proto"] ?? "https";
  const prefix = requestContext.path.slice(0, -openapiEndpoint.path.length);
  return `${protocol}://${requestContext.domainName}${prefix}`;
}
