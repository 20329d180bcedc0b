import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { ServiceError } from "../errors.ts";
import { annotate } from "../logger.ts";
import { findClient } from "./api-keys.ts";
import { header } from "./header.ts";

/**
 * Lets only callers with a key through, before the body is looked at. The key is taken from the header `X-API-Key`, or
 * from the query parameter `api_key` when the header is absent (specification, Authentication).
 *
 * The client's name stands in the event where API Gateway puts what an authorizer found.
 *
 * @throws ServiceError `unauthorized` without a key, or with one that nobody has
 */
export function authenticate(): MiddlewareObj<APIGatewayProxyEvent> {
  return {
    before: async ({ event }) => {
      const key = header(event, "x-api-key") ?? event.queryStringParameters?.api_key;
      const client = key ? await findClient(key) : undefined;
      if (client === undefined) {
        throw new ServiceError("unauthorized", "Unauthorized - Invalid API key");
      }
      event.requestContext.authorizer = { client };
      annotate({ client });
    },
  };
}
