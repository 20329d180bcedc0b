import type { Reference } from "./datatypes.ts";

/** What identifies a resource of a Bundle. */
interface Identity {
  type: string;
  id: string | undefined;
  fullUrl: string | undefined;
}

/**
 * Returns a function that finds the resource which a reference names (HL7, "Resolving references in Bundles"): by its
 * full URL, or by type and id; one without an absolute URL also by a URL that ends in them. Versions in references do
 * not matter.
 */
export function resolver<Resource extends Identity>(
  resources: readonly Resource[],
): (reference: Reference | undefined) => Resource | undefined {
  const byUrl = new Map<string, Resource>();
  const byPath = new Map<string, Resource>();
  for (const resource of resources) {
    const { type, id, fullUrl } = resource;
    const path = `${type}/${id}`;
    for (const name of [fullUrl, id && path]) {
      if (name && !byUrl.has(name)) {
        byUrl.set(name, resource);
      }
    }
    if (id && !isHttp(fullUrl)) {
      byPath.set(path, resource);
    }
  }
  return (reference) => {
    const target = reference?.reference?.replace(/\/_history\/[^/]*$/, "");
    const found = target && (byUrl.get(target) ?? (isHttp(target) ? byPath.get(lastTwo(target)) : undefined));
    return found || undefined;
  };
}

function isHttp(url: string | undefined): boolean {
  return /^https?:/.test(url ?? "");
}

function lastTwo(url: string): string {
  return url.split("/").slice(-2).join("/");
}
