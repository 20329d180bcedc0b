import { isDeepStrictEqual } from "node:util";

/**
 * What a rule expects of a body besides what the OpenAPI document says about it: the fields of an object that have
 * certain values, and all elements of a list. An undefined field is absent. A function says whether it accepts a value.
 */
export type Expected = unknown;

/** Accepts one value, including its fields that the OpenAPI document leaves open. */
export function exactly(value: unknown): Expected {
  return (other: unknown) => isDeepStrictEqual(other, value);
}

/** Describes how a body differs from what is expected, without its values, which may be a patient's. */
export function differences(expected: Expected, actual: unknown, path = ""): string[] {
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length
      ? expected.flatMap((element, index) => differences(element, actual[index], join(path, index)))
      : [`${path || "body"}: expected ${expected.length} elements`];
  }
  if (typeof expected === "object" && expected !== null) {
    const fields = Object(actual) as Record<string, unknown>;
    return Object.entries(expected).flatMap(([name, value]) => differences(value, fields[name], join(path, name)));
  }
  const accepted = typeof expected === "function" ? expected(actual) : Object.is(actual, expected);
  return accepted ? [] : [`${path || "body"}: expected another value`];
}

function join(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}
