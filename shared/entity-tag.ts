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
  const tags = ifMatch.split(",").map((tag) => tag.trim());
  return tags.includes("*") || tags.includes(entityTag(revision));
}
