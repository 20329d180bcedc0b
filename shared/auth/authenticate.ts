import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { ServiceError } from "../errors.ts";
import { header } from "../header.ts";
import { annotate } from "../logger.ts";
import { count } from "../metrics.ts";
import { findClient } from "./api-keys.ts";

/**
 * Lets only callers with a key through, before the body is looked at. The key is taken from the header `X-API-Key`, or
 * from the query parameter `api_key` when the header is absent (specification, Authentication).
 *
 * The client's name stands in the event where API Gateway puts what an authorizer found. Its use of a key that another
 * has taken the place of is counted and logged, so that an operator knows when the overlap can end.
 *
 * @throws ServiceError `unauthorized` without a key, or with one that nobody has
 */
export function authenticate(): MiddlewareObj<APIGatewayProxyEvent> {
  return {
    before: async ({ event }) => {
      const key = header(event, "x-api-key") ?? event.queryStringParameters?.api_key;
      const client = key ? await findClient(key) : undefined;
      if (!client) {
        count("AuthenticationFailures", 1, { reason: key ? "unknown" : "missing" });
        throw new ServiceError("unauthorized", "Unauthorized - Invalid API key");
      }
      const { name, previousKey } = client;
      event.requestContext.authorizer = { client: name };
      annotate({ client: name, previousKey: previousKey || undefined });
      count("ClientRequests", 1, { client: name });
      if (previousKey) {
        count("PreviousKeyUsed", 1, { client: name });
      }
    },
  };
}
