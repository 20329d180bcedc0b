import { invalidField, type ServiceError } from "../errors.ts";
import { invalid } from "./operation.ts";

/** The maximum number of items on a page of a list. */
export const MAX_PAGE_ITEMS = 100;

/** The number of items on a page without `limit`. */
export const DEFAULT_PAGE_ITEMS = 50;

/** The query parameter for the length of a page, for the OpenAPI document. */
export const LIMIT_PARAMETER = {
  name: "limit",
  description: "The most items to return",
  schema: { type: "integer" as const, minimum: 1, maximum: MAX_PAGE_ITEMS, default: DEFAULT_PAGE_ITEMS },
};

/** The query parameters of a list, for the OpenAPI document. */
export const PAGE_PARAMETERS = [
  LIMIT_PARAMETER,
  {
    name: "before",
    description: "`next` of the page before; the first page without it. A cursor of another list is a 400",
    schema: { type: "string" as const, minLength: 1 },
  },
];

const NO_CURSOR = "is not a cursor of this list";
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_PAGE_ITEMS}`;

/** An example of the error of an invalid limit, for the OpenAPI document. */
export const LIMIT_ERROR = invalid("limit", LIMIT_RULE);

/** Examples of a list's errors, for the OpenAPI document. */
export const PAGE_ERRORS = [LIMIT_ERROR, invalid("before", NO_CURSOR)];

/** The error of a query parameter that is not a day. */
export const NOT_A_DAY = "must be a day such as 2026-03-01";

/** The error of a cursor that does not belong to a list. */
export function invalidCursor(): ServiceError {
  return invalidField("before", NO_CURSOR);
}
