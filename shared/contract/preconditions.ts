import type { APIGatewayProxyEvent } from "aws-lambda";
import { ServiceError } from "../errors.ts";
import { header } from "./header.ts";

/** The conditions that a request has for the state of its resource (RFC 9110, section 13.1): the headers' values. */
export interface Preconditions {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

/** The `error` of a 412 that does not say what has changed. */
export const CONDITION_FAILED = "The resource does not meet the condition of the request";

export function preconditionsOf(event: APIGatewayProxyEvent): Preconditions {
  return { ifMatch: header(event, "if-match"), ifNoneMatch: header(event, "if-none-match") };
}

/** Returns an entity tag (RFC 9110, section 8.8.3). It is strong, so that it can be a condition of a write. */
export function entityTag(revision: string): string {
  return `"${revision}"`;
}

/**
 * Checks the conditions of a write, before it is made. What exists without an entity tag matches only `*`.
 *
 * @param etag that of the resource as it is; undefined if it has none
 * @param changed the text of the error if `If-Match` has another tag
 * @throws ServiceError `precondition-failed`
 */
export function checkWrite({ ifMatch, ifNoneMatch }: Preconditions, etag?: string, changed = CONDITION_FAILED): void {
  if (ifMatch !== undefined && !matches(ifMatch, etag)) {
    throw new ServiceError("precondition-failed", changed);
  }
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag)) {
    throw new ServiceError("precondition-failed", CONDITION_FAILED);
  }
}

/**
 * Checks the conditions of a read, after it was made.
 *
 * @param etag that of the response
 * @returns whether the caller has this state already, so that the response is a 304
 * @throws ServiceError `precondition-failed`
 */
export function isNotModified({ ifMatch, ifNoneMatch }: Preconditions, etag: string | undefined): boolean {
  checkWrite({ ifMatch }, etag);
  return ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag);
}

/** `If-Match`: a weak tag matches nothing (section 13.1.1). */
function matches(value: string, etag: string | undefined): boolean {
  return value.trim() === "*" || (etag !== undefined && tagsIn(value).includes(etag));
}

/** `If-None-Match`: a weak tag matches the strong one with the same text (section 13.1.2). */
function matchesWeakly(value: string, etag: string | undefined): boolean {
  const opaque = (tag: string) => tag.replace(/^W\//, "");
  return value.trim() === "*" || (etag !== undefined && tagsIn(value).map(opaque).includes(opaque(etag)));
}

/** Not split at commas, since a tag may contain one. */
function tagsIn(value: string): string[] {
  return value.match(/(W\/)?"[^"]*"/g) ?? [];
}
