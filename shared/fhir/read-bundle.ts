import { invalidField, ServiceError } from "../errors.ts";
import { MAX_DETAILS } from "../http/parse-request.ts";
import { type AnyLocated, type Budget, locate, nameMeta } from "./located.ts";
import type { Ignored, Name } from "./report.ts";
import { RESOURCES, type ReadType } from "./resources.ts";
import { isEmpty, isModified, isObject, MODIFIED } from "./shape.ts";
import { otherVersion } from "./version.ts";
import { type Deletion, deletionOf } from "./versions.ts";

/** The most entries of a Bundle: a summary of 4 MB has about 2,000. */
export const MAX_ENTRIES = 10_000;

/** The most that is named while reading. A report names less, and what of it counts is decided later. */
const MAX_NAMED = 20_000;

/** What a request contains. */
export interface Contents {
  resources: AnyLocated[];
  deletions: Deletion[];
  /** How many resources there are of every other type. */
  others: Map<string, number>;
  /** What there is to say about the Bundle itself. */
  ignored: Ignored[];
  /** How much was too much to be named. */
  unnamed: number;
}

interface Fault {
  path: string;
  message: string;
}

type Json = Record<string, unknown>;

/**
 * Reads a Bundle of any type, or a single Patient. A value that cannot be read is in `ignored` of its resource.
 *
 * @param failure the `error` of a 400
 * @throws ServiceError `invalid` with the FHIR paths of what is no resource, or one of another version, and of a Patient
 *   that must not be read
 */
export function readBundle(body: unknown, failure: string): Contents {
  const faults: Fault[] = [];
  const budget: Budget = { left: MAX_NAMED, spent: 0 };
  const contents: Contents = { resources: [], deletions: [], others: new Map(), ignored: [], unnamed: 0 };
  for (const { path, fullUrl, resource } of resourcesIn(body, contents, faults, failure)) {
    const type = String(resource.resourceType);
    const version = otherVersion(resource);
    if (version !== undefined) {
      faults.push({ path, message: `is a resource of FHIR ${version}; only R4 is supported` });
    } else if (Object.hasOwn(RESOURCES, type)) {
      const located = locate(type as ReadType, { path, fullUrl }, resource, budget) as AnyLocated;
      contents.resources.push(located);
      if (type === "Patient" && located.refused !== undefined) {
        faults.push({ path, message: located.refused });
      }
    } else {
      contents.others.set(type, (contents.others.get(type) ?? 0) + 1);
    }
  }
  refuse(faults, failure);
  return { ...contents, unnamed: budget.spent };
}

/** @throws ServiceError `invalid` if there are faults */
export function refuse(faults: readonly Fault[], failure: string): void {
  if (faults.length > 0) {
    throw new ServiceError("invalid", failure, {
      details: faults.slice(0, MAX_DETAILS),
      ...(faults.length > MAX_DETAILS && { moreDetails: faults.length - MAX_DETAILS }),
    });
  }
}

/** What FHIR's types look like; the longest has 33 letters. */
const TYPE = /^[A-Za-z]{1,64}$/;

/**
 * The resources with their paths. An entry without one may be a deletion. What is no resource is a fault: nobody knows
 * whether it was an allergy.
 */
function* resourcesIn(
  body: unknown,
  { deletions, ignored }: Contents,
  faults: Fault[],
  failure: string,
): Generator<{ path: string; fullUrl?: string | undefined; resource: Json }> {
  const type = isObject(body) ? body.resourceType : undefined;
  if (!isObject(body) || (type !== "Bundle" && type !== "Patient")) {
    throw invalidField("resourceType", 'must be "Bundle" or "Patient"', failure);
  }
  if (type === "Patient") {
    yield { path: "Patient", resource: body };
    return;
  }
  const { entry = [] } = body;
  if (!Array.isArray(entry) || entry.length > MAX_ENTRIES) {
    throw invalidField("Bundle.entry", `must be an array of at most ${MAX_ENTRIES} entries`, failure);
  }
  if (!isEmpty(body.implicitRules)) {
    throw invalidField("Bundle.implicitRules", "may change what the Bundle means", failure);
  }
  describeBundle(body, (path, reason) => ignored.push({ type: "Bundle", path, reason }));
  for (const [index, item] of entry.entries()) {
    const path = `Bundle.entry[${index}]`;
    const { resource, fullUrl } = isObject(item) ? item : { resource: null };
    const deletion = isObject(item) && isEmpty(resource) ? deletionOf(item, index) : undefined;
    if (isObject(item) && isModified(item)) {
      ignored.push({ type: "Bundle", path, reason: MODIFIED });
    } else if (isObject(resource) && TYPE.test(String(resource.resourceType))) {
      yield { path: `${path}.resource`, fullUrl: typeof fullUrl === "string" ? fullUrl : undefined, resource };
    } else if (resource !== undefined) {
      faults.push({ path: `${path}.resource`, message: "must be a resource, with a resourceType" });
    } else if (deletion) {
      deletions.push(deletion);
    }
  }
}

/** Says that a Bundle is not all there is. */
function describeBundle({ link, meta }: Json, name: Name): void {
  nameMeta(meta, "Bundle.meta", name);
  if (Array.isArray(link) && link.some((each) => isObject(each) && each.relation === "next")) {
    name("Bundle.link", "names a next page, which is not in the import");
  }
}
