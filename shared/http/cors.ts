import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { config } from "../config.ts";
import { CORS_EXPOSED_HEADERS } from "./cors-headers.ts";

/**
 * Lets pages of one web origin read the responses if the deployment has one (`CORS_ORIGIN`). The gateway answers
 * preflight requests (`infra/cors.ts`).
 */
export function cors(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const allow = ({ response }: { response?: APIGatewayProxyResult | null }) => {
    const origin = config.corsOrigin;
    if (origin !== undefined && response) {
      response.headers = {
        ...response.headers,
        "access-control-allow-origin": origin,
        "access-control-expose-headers": CORS_EXPOSED_HEADERS.join(","),
      };
    }
  };
  return { after: allow, onError: allow };
}
