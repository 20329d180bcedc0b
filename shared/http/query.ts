import type { APIGatewayProxyEvent } from "aws-lambda";
import { MAX_PAGE_ITEMS, NOT_A_DAY } from "../contract/page.ts";
import { ServiceError } from "../errors.ts";

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

/**
 * Parses the query parameters of a period: `from` and `to`, days in UTC as ISO 8601.
 *
 * @param defaultDays the number of days before `to` at which the period begins without `from`
 * @returns both days; today for `to` without it
 * @throws ServiceError `invalid` for anything else, and for a parameter that is given more than once
 */
export function daysOf(event: APIGatewayProxyEvent, defaultDays: number): { from: string; to: string } {
  const { from, to = dayOf(Date.now()) } = event.queryStringParameters ?? {};
  const faults = Object.entries({ from, to }).flatMap(([path, value]) => [
    ...repeated(event, path),
    ...(value === undefined || isDay(value) ? [] : [{ path, message: NOT_A_DAY }]),
  ]);
  rejectIf(faults);
  rejectIf(from !== undefined && from > to ? [{ path: "from", message: "must not be after to" }] : []);
  return { from: from ?? dayOf(Date.parse(to) - defaultDays * 24 * 60 * 60 * 1000), to };
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Whether a text is a day since 1970 that exists, unlike 2026-02-30. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return time >= 0 && dayOf(time) === text;
}

/**
 * Parses a query parameter with names, separated by commas.
 *
 * @param known the names that it can have
 * @param otherwise the names without it
 * @throws ServiceError `invalid` for another name, and if it is given more than once
 */
export function namesOf<Name extends string>(
  event: APIGatewayProxyEvent,
  path: string,
  known: readonly Name[],
  otherwise: readonly Name[],
): Name[] {
  const names = event.queryStringParameters?.[path]?.split(",") ?? [...otherwise];
  const isKnown = (name: string): name is Name => (known as readonly string[]).includes(name);
  const faults = names.every(isKnown) ? [] : [{ path, message: `must be some of ${known.join(", ")}` }];
  rejectIf([...repeated(event, path), ...faults]);
  return names.filter(isKnown);
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
