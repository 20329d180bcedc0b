// biome-ignore lint/suspicious/noExplicitAny: a JSON schema or value of any kind
type Json = any;

/** A text that a caller can fill, in the body of a request. */
export interface TextField {
  /** Such as `POST /patients`. */
  operation: string;
  method: string;
  path: string;
  /** Such as `medications.0.name`. */
  name: string;
  /** In UTF-16 code units; undefined if only the size of the body limits it. */
  maxLength: number | undefined;
  /** The number of elements of the innermost list that it can be in. */
  maxItems: number | undefined;
  /** Whether it can be an object of free form instead. */
  takesObject: boolean;
  /** A body in which the field has a value, and the lists around it have so many elements. */
  bodyWith(value: unknown, items?: number): Json;
}

/**
 * Returns the text fields of all request bodies that an OpenAPI document describes: a new field is among them by itself.
 * Where a body has no schema of its own, as with FHIR, they are those of its example.
 */
export function textFields(document: Json): TextField[] {
  return Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).flatMap(([method, operation]) => {
      const content = operation.requestBody?.content?.["application/json"];
      return content ? fieldsOf(document, method.toUpperCase(), path, content) : [];
    }),
  );
}

/** The place of a field: names of properties, and `[]` for the elements of a list. */
type Place = string[];

interface Leaf {
  place: Place;
  schema: Json;
  maxItems: number | undefined;
  takesObject: boolean;
}

function fieldsOf(document: Json, method: string, path: string, { schema, examples = {} }: Json): TextField[] {
  const resolved = (part: Json): Json =>
    part?.$ref ? resolved(document.components.schemas[part.$ref.split("/").at(-1)]) : part;
  const base: Json = Object.values<Json>(examples)[0]?.value ?? {};
  const isFree = resolved(schema).properties === undefined || resolved(schema).additionalProperties === true;
  const leaves = isFree ? leavesOfValue(base, []) : leavesOf(resolved, schema, [], undefined);
  return leaves.map(({ place, schema: leaf, maxItems, takesObject }) => ({
    operation: `${method} ${path}`,
    method,
    path,
    name: place.join("."),
    maxLength: leaf.maxLength,
    maxItems,
    takesObject,
    bodyWith: (value, items = 1) => withValue(base, place, value, items, isFree ? undefined : schema, resolved),
  }));
}

function leavesOf(resolved: (part: Json) => Json, part: Json, place: Place, maxItems: number | undefined): Leaf[] {
  const schema = resolved(part);
  const inner = (each: Json) => leavesOf(resolved, each, place, maxItems);
  if (schema.enum || schema.const !== undefined) {
    return [];
  }
  if (schema.anyOf ?? schema.oneOf ?? schema.allOf) {
    return (schema.anyOf ?? schema.oneOf ?? schema.allOf).flatMap(inner);
  }
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, each]) =>
      leavesOf(resolved, each, [...place, name], maxItems),
    );
  }
  const types = [schema.type ?? ["string", "object"]].flat();
  if (types.includes("array")) {
    return leavesOf(resolved, schema.items ?? {}, [...place, "[]"], schema.maxItems);
  }
  if (types.includes("string") || types.includes("object")) {
    return [{ place, schema, maxItems, takesObject: types.includes("object") }];
  }
  return [];
}

function leavesOfValue(value: Json, place: Place): Leaf[] {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => leavesOfValue(each, [...place, String(index)]));
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => leavesOfValue(each, [...place, name]));
  }
  return typeof value === "string" ? [{ place, schema: {}, maxItems: undefined, takesObject: false }] : [];
}

function withValue(
  base: Json,
  [name, ...rest]: Place,
  value: unknown,
  items: number,
  part: Json,
  resolved: (part: Json) => Json,
): Json {
  if (name === undefined) {
    return value;
  }
  const schema = part && alternativeOf(resolved(part), name, resolved);
  if (name === "[]") {
    const first = Array.isArray(base) ? base[0] : undefined;
    const element = withValue(first, rest, value, items, schema?.items, resolved);
    return Array.from({ length: rest.includes("[]") ? 1 : items }, () => element);
  }
  if (Array.isArray(base)) {
    return base.with(Number(name), withValue(base[Number(name)], rest, value, items, undefined, resolved));
  }
  const required = (schema?.required ?? []).map((each: string) => [each, leastOf(schema.properties?.[each], resolved)]);
  const others = { ...Object.fromEntries(required), ...(typeof base === "object" ? base : {}) };
  return { ...others, [name]: withValue(others[name], rest, value, items, schema?.properties?.[name], resolved) };
}

/** Of a schema with alternatives, the one that has a property, or elements. */
function alternativeOf(schema: Json, name: string, resolved: (part: Json) => Json): Json {
  const alternatives: Json[] = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).map(resolved);
  return alternatives.find((each) => (name === "[]" ? each.items : each.properties?.[name])) ?? schema;
}

/** A value that a schema allows. */
function leastOf(part: Json, resolved: (part: Json) => Json): Json {
  const schema = resolved(part ?? {});
  return schema.const ?? schema.enum?.[0] ?? schema.examples?.[0] ?? (schema.type === "array" ? [] : "a");
}
