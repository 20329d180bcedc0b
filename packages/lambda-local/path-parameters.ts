/**
 * Returns the parameters of a path, by their names in a template such as `/threads/{id}`, as they are sent. One such as
 * `{proxy+}` is the rest of the path.
 *
 * @returns undefined if the path does not fit the template
 */
export function pathParameters(template: string, path: string): Record<string, string> | undefined {
  const pattern = patterns.get(template) ?? patternOf(template);
  patterns.set(template, pattern);
  const match = pattern.exec(path);
  return match ? { ...match.groups } : undefined;
}

/** Of each template that was used: a gateway compares each request with all of its templates. */
const patterns = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  const pattern = template
    .replaceAll(".", "\\.")
    .replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")
    .replaceAll(/\{(\w+)\+\}/g, "(?<$1>.+)");
  return new RegExp(`^${pattern}$`);
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
