import type { Ignored, Name } from "./report.ts";
import { RESOURCES, type ReadType, type Resource } from "./resources.ts";
import { isEmpty, isModified, isObject, MODIFIED, read } from "./shape.ts";

type Json = Record<string, unknown>;

/** A resource that is read, and where it stands. */
export interface Located<Type extends ReadType> {
  type: Type;
  /** FHIR's path of the resource: `Bundle.entry[3].resource`. */
  path: string;
  fullUrl: string | undefined;
  id: string | undefined;
  /** When it was last changed, as far as it says, to tell versions of one resource apart. */
  lastUpdated: string;
  resource: Resource<Type>;
  /** The reason why it is not taken over, as the end of a sentence, if what is not read may change its meaning. */
  refused: string | undefined;
  /** The resources inside of it, as they were sent. */
  contained: unknown[];
  /** What of it is not taken over. */
  ignored: Ignored[];
  name: Name;
}

/** Any resource that is read. */
export type AnyLocated = { [Type in ReadType]: Located<Type> }[ReadType];

/** How much may still be named; a body has room for a million elements that are not read. */
export interface Budget {
  left: number;
  /** How much was not named. */
  spent: number;
}

/**
 * Reads a resource. What cannot be read of it, and what a record has no place for, is in its `ignored`.
 *
 * @param place FHIR's path and, in a Bundle, the full URL
 */
export function locate<Type extends ReadType>(
  type: Type,
  { path, fullUrl }: { path: string; fullUrl?: string | undefined },
  resource: Json,
  budget: Budget,
): Located<Type> {
  const ignored: Ignored[] = [];
  const name: Name = (path, reason) => {
    if (budget.left > 0) {
      budget.left--;
      ignored.push({ type, path, reason });
    } else {
      budget.spent++;
    }
  };
  const { modifierExtension: _, implicitRules, meta, text, contained, language: _language, ...elements } = resource;
  nameText(text, `${path}.text`, name);
  nameMeta(meta, `${path}.meta`, name);
  const { lastUpdated } = isObject(meta) ? meta : {};
  return {
    type,
    path,
    fullUrl,
    id: idOf(resource, path, name),
    lastUpdated: typeof lastUpdated === "string" ? lastUpdated : "",
    resource: (read(RESOURCES[type], elements, path, name) ?? {}) as Resource<Type>,
    refused: isModified(resource)
      ? MODIFIED
      : isEmpty(implicitRules)
        ? undefined
        : "has implicitRules, which may change its meaning",
    contained: Array.isArray(contained) ? contained : [],
    ignored,
    name,
  };
}

/** The id, by which others refer to the resource. A number is not what FHIR allows, but it is clear what is meant. */
function idOf({ id }: Json, path: string, name: Name): string | undefined {
  if (typeof id === "number") {
    name(`${path}.id`, "must be a string");
    return String(id);
  }
  return typeof id === "string" ? id : undefined;
}

/** The texts of resources that say what their elements say (HL7, FHIR R4, value set narrative-status). */
const GENERATED = ["generated", "extensions", "empty"];

function nameText(text: unknown, path: string, name: Name): void {
  if (!isEmpty(text) && !(isObject(text) && GENERATED.includes(String(text.status)))) {
    name(path, "may say more than the elements do, and is not read");
  }
}

/** Says that a resource was sent incomplete (HL7, FHIR R4, "Search": `_summary` and `_elements`). */
export function nameMeta(meta: unknown, path: string, name: Name): void {
  const tags = isObject(meta) && Array.isArray(meta.tag) ? meta.tag : [];
  if (tags.some((tag) => isObject(tag) && tag.code === "SUBSETTED")) {
    name(`${path}.tag`, "is SUBSETTED: the server sent only a part of it");
  }
}
