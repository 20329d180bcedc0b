/**
 * Returns the parameters of a path, by their names in a template such as `/threads/{id}`, as they are sent.
 *
 * @returns undefined if the path does not fit the template
 */
export function pathParameters(template: string, path: string): Record<string, string> | undefined {
  const pattern = template.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  const match = new RegExp(`^${pattern}$`).exec(path);
  return match ? { ...match.groups } : undefined;
}
