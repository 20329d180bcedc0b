import type { APIGatewayProxyEvent } from "aws-lambda";
import { ServiceError } from "../errors.ts";
import { MAX_PAGE_ITEMS } from "../page.ts";

/**
 * Parses the query parameters of a list: `limit`, from 1 to {@link MAX_PAGE_ITEMS}, and `before`, a cursor.
 *
 * @param defaultLimit used without `limit`
 * @throws ServiceError `invalid` for an invalid limit, and for a parameter that is given more than once
 */
export function pageOf(
  event: APIGatewayProxyEvent,
  defaultLimit: number,
): { limit: number; before: string | undefined } {
  const limit = parameter(event, "limit");
  const before = parameter(event, "before");
  if (limit === undefined) {
    return { limit: defaultLimit, before };
  }
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_PAGE_ITEMS) {
    throw invalidParameter("limit", `must be a whole number from 1 to ${MAX_PAGE_ITEMS}`);
  }
  return { limit: Number(limit), before };
}

/**
 * Whether the query parameter `include` requests an additional part of the response.
 *
 * @throws ServiceError `invalid` if it requests anything else or is given more than once
 */
export function includes(event: APIGatewayProxyEvent, part: string): boolean {
  const include = parameter(event, "include");
  if (include !== undefined && include !== part) {
    throw invalidParameter("include", `must be ${part}`);
  }
  return include === part;
}

/** A query parameter; of repeated ones, `queryStringParameters` would silently have the last. */
function parameter(
  { queryStringParameters, multiValueQueryStringParameters }: APIGatewayProxyEvent,
  name: string,
): string | undefined {
  if ((multiValueQueryStringParameters?.[name]?.length ?? 0) > 1) {
    throw invalidParameter(name, "must be given only once");
  }
  return queryStringParameters?.[name];
}

function invalidParameter(path: string, message: string): ServiceError {
  return new ServiceError("invalid", `${path}: ${message}`, { details: [{ path, message }] });
}
