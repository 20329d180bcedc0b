import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Caller } from "../caller.ts";
import { ServiceError } from "../errors.ts";
import { header } from "../header.ts";
import { annotate } from "../logger.ts";
import { count } from "../metrics.ts";
import { findClient } from "./api-keys.ts";

/**
 * Identifies the caller by the API key in the header `X-API-Key` or, without that header, in the query parameter
 * `api_key` (specification, Authentication). Runs before the body is read.
 *
 * Uses of a replaced key are counted and logged, so that operators know when they can remove it.
 *
 * @param operation the name of the called endpoint
 * @throws ServiceError `unauthorized` for a missing or unknown key
 */
export async function authenticate(event: APIGatewayProxyEvent, operation: string): Promise<Caller> {
  const key = header(event, "x-api-key") ?? event.queryStringParameters?.api_key;
  // Always awaits: for a promise that rejects before its caller awaits it, Node starts to report an unhandled rejection.
  const client = await (key ? findClient(key) : undefined);
  if (!client) {
    count("AuthenticationFailures", 1, { reason: key ? "unknown" : "missing" });
    throw new ServiceError("unauthorized", "Unauthorized - Invalid API key");
  }
  const { name, tenant, quotas, previousKey } = client;
  annotate({ client: name, tenant, previousKey: previousKey || undefined });
  if (previousKey) {
    count("PreviousKeyUsed", 1);
  }
  return { client: name, tenant, quotas, operation };
}
