import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Endpoint } from "../contract/endpoint.ts";
import { header } from "../contract/header.ts";
import { ServiceError } from "../errors.ts";
import { count } from "../observability/metrics.ts";
import type { CallerContext, RequestContext } from "../request/request-context.ts";
import { findClient } from "./api-keys.ts";

/**
 * Identifies the caller by the API key in the header `X-API-Key` or, if that is missing or empty, in the query parameter
 * `api_key` (specification, Authentication). OpenAI's clients send it in `Authorization: Bearer`, which only the
 * endpoints for them accept. Runs before the body is read.
 *
 * Uses of a replaced key are counted and logged, so that operators know when they can remove it.
 *
 * @returns the context with the caller
 * @throws ServiceError `unauthorized` for a missing or unknown key
 */
export async function authenticate(
  { openAiClients }: Endpoint,
  context: RequestContext,
  event: APIGatewayProxyEvent,
): Promise<CallerContext> {
  const bearer = openAiClients && bearerToken(event);
  const key = header(event, "x-api-key")?.trim() || bearer || event.queryStringParameters?.api_key;
  // Always awaits: for a promise that rejects before its caller awaits it, Node starts to report an unhandled
  // rejection.
  const client = await (key ? findClient(key) : undefined);
  if (!client) {
    count("AuthenticationFailures", 1, { reason: key ? "unknown" : "missing" });
    throw new ServiceError("unauthorized", "Unauthorized - Invalid API key");
  }
  const { name, tenant, quotas, previousKey } = client;
  if (previousKey) {
    context.log.previousKey = true;
    count("PreviousKeyUsed", 1);
  }
  return Object.assign(context, { caller: { client: name, tenant, quotas, operation: context.route } });
}

/** Returns the token of the header `Authorization` (RFC 6750, section 2.1); undefined without one. */
function bearerToken(event: APIGatewayProxyEvent): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header(event, "authorization")?.trim() ?? "")?.[1];
}
