/**
 * Returns the parameters of a path, by their names in a template such as `/threads/{id}`, as they are sent. One such as
 * `{proxy+}` is the rest of the path.
 *
 * @returns undefined if the path does not fit the template
 */
export function pathParameters(template: string, path: string): Record<string, string> | undefined {
  const pattern = template
    .replaceAll(".", "\\.")
    .replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")
    .replaceAll(/\{(\w+)\+\}/g, "(?<$1>.+)");
  const match = new RegExp(`^${pattern}$`).exec(path);
  return match ? { ...match.groups } : undefined;
}

/**
 * Returns the parameters of a path that fits a template as API Gateway passes them on: decoded, and null without any.
 *
 * @throws URIError if one cannot be decoded
 */
export function decodedParameters(template: string, path: string): Record<string, string> | null {
  const entries = Object.entries(pathParameters(template, path) ?? {});
  return entries.length > 0
    ? Object.fromEntries(entries.map(([name, value]) => [name, decodeURIComponent(value)]))
    : null;
}
