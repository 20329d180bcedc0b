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
