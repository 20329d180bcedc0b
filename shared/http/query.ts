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
  const { limit, cursor } = read(event, defaultLimit, "before");
  return { limit, before: cursor };
}

/** Like {@link pageOf}, for a list that begins with the oldest item: its cursor is `after`. */
export function pageAfter(
  event: APIGatewayProxyEvent,
  defaultLimit: number,
): { limit: number; after: string | undefined } {
  const { limit, cursor } = read(event, defaultLimit, "after");
  return { limit, after: cursor };
}

function read(event: APIGatewayProxyEvent, defaultLimit: number, cursorName: "before" | "after") {
  const { limit = String(defaultLimit), [cursorName]: cursor } = event.queryStringParameters ?? {};
  const isLimit = /^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MAX_PAGE_ITEMS;
  rejectIf([
    ...repeated(event, "limit"),
    ...(isLimit ? [] : [{ path: "limit", message: `must be a whole number from 1 to ${MAX_PAGE_ITEMS}` }]),
    ...repeated(event, cursorName),
  ]);
  return { limit: Number(limit), cursor };
}

/**
 * Whether the query parameter `include` requests an additional part of the response.
 *
 * @throws ServiceError `invalid` if it requests anything else or is given more than once
 */
export function includes(event: APIGatewayProxyEvent, part: string): boolean {
  const include = event.queryStringParameters?.include;
  const isKnown = include === undefined || include === part;
  rejectIf([...repeated(event, "include"), ...(isKnown ? [] : [{ path: "include", message: `must be ${part}` }])]);
  return include === part;
}

interface Fault {
  path: string;
  message: string;
}

/** The fault of a parameter that is given more than once: `queryStringParameters` would silently have the last. */
function repeated({ multiValueQueryStringParameters }: APIGatewayProxyEvent, path: string): Fault[] {
  const count = multiValueQueryStringParameters?.[path]?.length ?? 0;
  return count > 1 ? [{ path, message: "must be given only once" }] : [];
}

function rejectIf(details: Fault[]): void {
  const [first] = details;
  if (first) {
    throw new ServiceError("invalid", `${first.path}: ${first.message}`, { details });
  }
}
