import type { AnyLocated } from "./located.ts";
import { isObject } from "./shape.ts";

/** That a resource was deleted, as a history has it. */
export interface Deletion {
  /** Whose: its full URL, and its type and id. */
  names: string[];
  time: number;
  /** The entry's place in the Bundle. */
  index: number;
}

/** Returns the deletion that an entry stands for, if it does (HL7, FHIR R4, "history"). */
export function deletionOf(entry: Record<string, unknown>, index: number): Deletion | undefined {
  const { request, response, fullUrl } = entry;
  if (!isObject(request) || request.method !== "DELETE") {
    return undefined;
  }
  const url = typeof request.url === "string" ? request.url : "";
  const time = isObject(response) ? timeOf(response.lastModified) : undefined;
  const names = [fullUrl, url, url.split("/").slice(-2).join("/")].filter((name) => typeof name === "string");
  return { names: names.filter((name) => name !== ""), time: time ?? Number.NaN, index };
}

/** Whether a resource is the current one, or why it is not. */
export interface Versions {
  current: AnyLocated[];
  outdated: { located: AnyLocated; reason: string }[];
}

/**
 * Separates the versions of a resource: a history has several, the newest first, and a search may find one twice. What
 * was deleted afterwards has no current version.
 */
export function latestVersions(resources: readonly AnyLocated[], deletions: readonly Deletion[]): Versions {
  const newest = new Map<string, AnyLocated>();
  for (const located of resources) {
    const known = newest.get(identityOf(located));
    if (known === undefined || isNewer(located, known)) {
      newest.set(identityOf(located), located);
    }
  }
  const deleted = new Map<string, Deletion>();
  for (const deletion of deletions) {
    for (const name of deletion.names) {
      const known = deleted.get(name);
      deleted.set(name, known && !(deletion.time > known.time) ? known : deletion);
    }
  }
  const versions: Versions = { current: [], outdated: [] };
  for (const located of resources) {
    const { type, id, fullUrl } = located;
    const deletion = deleted.get(fullUrl ?? "") ?? (id === undefined ? undefined : deleted.get(`${type}/${id}`));
    if (newest.get(identityOf(located)) !== located) {
      versions.outdated.push({ located, reason: "has a later version in the same Bundle" });
    } else if (deletion && isAfter(deletion, located)) {
      versions.outdated.push({ located, reason: "was deleted later, as the same Bundle says" });
    } else {
      versions.current.push(located);
    }
  }
  return versions;
}

function identityOf({ type, path, id, fullUrl }: AnyLocated): string {
  return fullUrl ?? (id === undefined ? path : `${type}/${id}`);
}

function isNewer(located: AnyLocated, than: AnyLocated): boolean {
  const [a, b] = [timeOf(located.lastUpdated), timeOf(than.lastUpdated)];
  return a !== undefined && (b === undefined || a > b);
}

/** Without times, a history has the newest first. */
function isAfter(deletion: Deletion, { lastUpdated, path }: AnyLocated): boolean {
  const time = timeOf(lastUpdated);
  const index = Number(/^Bundle\.entry\[(\d+)\]/.exec(path)?.[1]);
  return time === undefined || Number.isNaN(deletion.time) ? deletion.index < index : deletion.time >= time;
}

function timeOf(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
