import type { Name } from "./report.ts";

// The shapes of what is read of a resource, and the one function that reads by them.

/** The most elements of a list in a resource; the lists that are read rarely have a dozen. */
export const MAX_ELEMENTS = 1_000;

/** A value, or what is wrong with it, as the end of a sentence; both if only a part of it is of use. */
export interface Checked<Value> {
  value?: Value;
  fault?: string;
}

/** A primitive value. */
export interface Primitive<Value> {
  kind: "primitive";
  check: (value: unknown) => Checked<Value>;
}

export interface ListOf<Element extends Shape> {
  kind: "list";
  element: Element;
}

export interface ObjectOf<Elements extends Table> {
  kind: "object";
  elements: Elements;
}

/** An element without clinical meaning, and the reason why it has none. */
export interface Meaningless {
  kind: "meaningless";
  why: string;
}

/** An element for which a record has no place. It is named as ignored. */
export interface Unread {
  kind: "unread";
}

export type Shape = Primitive<unknown> | ListOf<Shape> | ObjectOf<Table>;
// biome-ignore lint/suspicious/noExplicitAny: a table of any shapes; the recursive type has no other end
export type Table = Record<string, any>;

/** What is read by a shape. Each element may be missing, whatever FHIR says. */
export type ValueOf<S> =
  S extends Primitive<infer Value>
    ? Value
    : S extends ListOf<infer Element>
      ? (ValueOf<Element> | undefined)[]
      : S extends ObjectOf<infer Elements>
        ? {
            [Name in keyof Elements as Elements[Name] extends Shape ? Name : never]?:
              | ValueOf<Elements[Name]>
              | undefined;
          }
        : never;

export const listOf = <Element extends Shape>(element: Element): ListOf<Element> => ({
  kind: "list",
  element,
});
export const objectOf = <Elements extends Table>(elements: Elements): ObjectOf<Elements> => ({
  kind: "object",
  elements,
});
export const meaningless = (why: string): Meaningless => ({ kind: "meaningless", why });
export const UNREAD: Unread = { kind: "unread" };

const DATA_ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason";

const NO_PLACE = "has no place in a record";
const EXTENDED = "has extensions, which are not read";
/** The reason for leaving out what an extension changes (HL7, FHIR R4, "Modifier Extensions"). */
export const MODIFIED = "has a modifierExtension, which may change its meaning";

/** What is in every element and says nothing about the patient; see docs of the import. */
const TECHNICAL = new Set(["resourceType", "id", "fhir_comments", "extension"]);

/** What the names of elements look like, with those of their extensions. */
const ELEMENT = /^_?[A-Za-z][A-Za-z0-9]{0,63}$/;

/**
 * Reads a value by its shape. Whatever else it has, is wrong or has no place in a record is named, with its path: a
 * value that cannot be read costs only itself.
 *
 * @returns undefined for what cannot be read
 */
export function read<S extends Shape>(shape: S, value: unknown, path: string, name: Name): ValueOf<S> | undefined {
  return readAny(shape, value, path, name) as ValueOf<S> | undefined;
}

function readAny(shape: Shape, value: unknown, path: string, name: Name): unknown {
  switch (shape.kind) {
    case "primitive":
      return readPrimitive(shape, value, path, name);
    case "list":
      return readList(shape, value, path, name);
    case "object":
      return readObject(shape, value, path, name);
  }
}

function readPrimitive({ check }: Primitive<unknown>, value: unknown, path: string, name: Name): unknown {
  const checked = check(value);
  if (checked.fault !== undefined) {
    name(path, checked.fault);
  }
  return checked.value;
}

function readList({ element: shape }: ListOf<Shape>, value: unknown, path: string, name: Name): unknown[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ELEMENTS) {
    name(path, Array.isArray(value) ? `must have at most ${MAX_ELEMENTS} elements` : "must be an array");
    return undefined;
  }
  // A place is kept for what cannot be read, so that paths remain those of the input.
  return value.map((element, index) =>
    element === null ? undefined : readAny(shape, element, `${path}[${index}]`, name),
  );
}

function readObject({ elements }: ObjectOf<Table>, value: unknown, path: string, name: Name): unknown {
  if (!isObject(value)) {
    name(path, "must be an object");
    return undefined;
  }
  if (isModified(value)) {
    name(path, MODIFIED);
    return undefined;
  }
  nameExtensions(value.extension, `${path}.extension`, name);
  const result: Record<string, unknown> = {};
  for (const [element, child] of Object.entries(value)) {
    const shape: Shape | Meaningless | Unread | undefined = Object.hasOwn(elements, element)
      ? elements[element]
      : undefined;
    if (shape === undefined || shape.kind === "unread") {
      nameUnread(elements, element, child, path, name);
    } else if (shape.kind !== "meaningless" && !isEmpty(child)) {
      result[element] = readAny(shape, child, `${path}.${element}`, name);
    }
  }
  return result;
}

function nameUnread(elements: Table, element: string, child: unknown, path: string, name: Name): void {
  const extended = element.startsWith("_") ? element.slice(1) : undefined;
  if (isEmpty(child) || TECHNICAL.has(element)) {
    return;
  }
  if (!ELEMENT.test(element)) {
    name(path, "has an element that FHIR does not have");
  } else if (extended === undefined) {
    name(`${path}.${element}`, NO_PLACE);
  } else if (!(Object.hasOwn(elements, extended) && elements[extended].kind === "meaningless")) {
    for (const one of [child].flat()) {
      nameExtensions(isObject(one) ? one.extension : undefined, `${path}.${element}`, name);
    }
  }
}

/** Names extensions, unless they only say why a value is absent, which is read as an absent value. */
function nameExtensions(extensions: unknown, path: string, name: Name): void {
  const isAbsence = (each: unknown) => isObject(each) && each.url === DATA_ABSENT;
  if (!isEmpty(extensions) && !(Array.isArray(extensions) && extensions.every(isAbsence))) {
    name(path, EXTENDED);
  }
}

/** Whether an element has an extension that may change the meaning of what contains it. */
export function isModified(value: Record<string, unknown>): boolean {
  return !isEmpty(value.modifierExtension);
}

/** Whether an extension says that a value is absent. */
export function saysAbsent(value: unknown): Checked<true> {
  const isAbsent = Array.isArray(value) && value.some((each) => isObject(each) && each.url === DATA_ABSENT);
  return isAbsent ? { value: true } : {};
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
