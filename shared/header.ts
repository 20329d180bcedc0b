import type { APIGatewayProxyEvent } from "aws-lambda";

/** The description of the header for operations with a body. */
export const PREFER_HEADER = {
  name: "Prefer",
  description:
    "`handling=strict`: a field that the operation does not know is a 400 that names the field that was probably meant, although the schema allows it. `handling=lenient`, as without the header: it is ignored (RFC 7240)",
  // Tools combine examples with generated bodies, and would take the 400 of strict handling for a fault.
  example: "handling=lenient",
};

/**
 * Returns a request header, ignoring case, because REST APIs pass headers in the caller's spelling. The values of a repeated
 * header form a list (RFC 9110, section 5.3), of which `headers` has only the last; equal values count once.
 */
export function header({ headers, multiValueHeaders }: APIGatewayProxyEvent, name: string): string | undefined {
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) {
      const values = multiValueHeaders?.[key];
      return values && values.length > 1 ? [...new Set(values)].join(", ") : headers[key];
    }
  }
  return undefined;
}

/** Returns an entity tag (RFC 9110, section 8.8.3). It is strong, so that it can be a condition. */
export function entityTag(revision: string): string {
  return `"${revision}"`;
}

/**
 * Evaluates `If-Match` (RFC 9110, section 13.1.1). A weak tag matches nothing.
 *
 * @param ifMatch the header's value: `*`, or a list of entity tags
 * @param revision the stored revision
 */
export function matches(ifMatch: string, revision: string): boolean {
  const tags: string[] = ifMatch.match(/(W\/)?"[^"]*"/g) ?? []; // not split, since a tag may contain a comma
  return ifMatch.trim() === "*" || tags.includes(entityTag(revision));
}
