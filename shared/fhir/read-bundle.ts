import * as z from "zod/mini";
import { ServiceError } from "../errors.ts";
import { MAX_DETAILS } from "../http/parse-request.ts";
import { RESOURCES, type ReadType, type Resource } from "./resources.ts";
import { otherVersion } from "./version.ts";

/** The most entries of a Bundle: a summary of 4 MB has about 2,000. */
export const MAX_ENTRIES = 10_000;

/** A resource that is read, and where it stands. */
export interface Located<Type extends ReadType> {
  type: Type;
  /** FHIR's path of the resource: `Bundle.entry[3].resource`. */
  path: string;
  fullUrl: string | undefined;
  id: string | undefined;
  /** When it was last changed, as far as it says: to tell versions of one resource apart. */
  lastUpdated: string;
  resource: Resource<Type>;
}

/** Any resource that is read. */
export type AnyLocated = { [Type in ReadType]: Located<Type> }[ReadType];

/** What a request contains: the resources that are read, and how many there are of every other type. */
export interface Contents {
  resources: AnyLocated[];
  others: Record<string, number>;
}

interface Fault {
  path: string;
  message: string;
}

type Json = Record<string, unknown>;

/**
 * Reads a Bundle of any type, or a single Patient.
 *
 * @param failure the `error` of a 400
 * @throws ServiceError `invalid` with the FHIR paths of all faults
 */
export function readBundle(body: unknown, failure: string): Contents {
  const faults: Fault[] = [];
  const contents: Contents = { resources: [], others: {} };
  for (const { path, fullUrl, resource } of resourcesIn(body, faults)) {
    const type = String(resource.resourceType);
    const version = otherVersion(resource);
    if (version !== undefined) {
      faults.push({ path, message: `is a resource of FHIR ${version}; only R4 is supported` });
    } else if (Object.hasOwn(RESOURCES, type)) {
      const result = z.safeParse(RESOURCES[type as ReadType], resource);
      faults.push(...(result.error?.issues ?? []).map((issue) => faultOf(path, issue)));
      const { lastUpdated = "" } = isObject(resource.meta) ? resource.meta : {};
      const id = typeof resource.id === "string" ? resource.id : undefined;
      const located = { type, path, fullUrl, id, lastUpdated: String(lastUpdated), resource: result.data };
      contents.resources.push(located as AnyLocated);
    } else {
      contents.others[type] = (contents.others[type] ?? 0) + 1;
    }
  }
  if (faults.length > 0) {
    throw new ServiceError("invalid", failure, {
      details: faults.slice(0, MAX_DETAILS),
      ...(faults.length > MAX_DETAILS && { moreDetails: faults.length - MAX_DETAILS }),
    });
  }
  return contents;
}

function faultOf(path: string, issue: { path: PropertyKey[]; message: string }): Fault {
  const steps = issue.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  return { path: path + steps.join(""), message: issue.message };
}

/** The resources with their paths. Entries without one, as for a deletion in a transaction, have nothing to read. */
function* resourcesIn(
  body: unknown,
  faults: Fault[],
): Generator<{ path: string; fullUrl?: string | undefined; resource: Json }> {
  const type = isObject(body) ? body.resourceType : undefined;
  if (!isObject(body) || (type !== "Bundle" && type !== "Patient")) {
    faults.push({ path: "resourceType", message: 'must be "Bundle" or "Patient"' });
    return;
  }
  if (type === "Patient") {
    yield { path: "Patient", resource: body };
    return;
  }
  const { entry = [] } = body;
  if (!Array.isArray(entry) || entry.length > MAX_ENTRIES) {
    faults.push({ path: "Bundle.entry", message: `must be an array of at most ${MAX_ENTRIES} entries` });
    return;
  }
  for (const [index, item] of entry.entries()) {
    const path = `Bundle.entry[${index}]`;
    const { resource, fullUrl } = isObject(item) ? item : { resource: null };
    if (isObject(resource) && typeof resource.resourceType === "string") {
      yield { path: `${path}.resource`, fullUrl: typeof fullUrl === "string" ? fullUrl : undefined, resource };
    } else if (resource !== undefined) {
      faults.push({ path: `${path}.resource`, message: "must be a resource, with a resourceType" });
    }
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
