import * as z from "zod/mini";

/**
 * A string field. Lone surrogates, which JSON can carry in escapes but UTF-8 cannot, become U+FFFD here, because
 * DynamoDB refuses them and a refusal there would be a 500 for what is only odd input.
 */
export function text() {
  return z.string().check(z.overwrite((value) => (value.isWellFormed() ? value : value.toWellFormed())));
}

/**
 * A free-form JSON object of at most `maxBytes` once serialized, taken as it is: a schema of zod's own for objects
 * would drop a key named `__proto__`. Nesting too deep for the serializer is refused, so it can always be stored.
 */
export function freeFormObject(maxBytes: number) {
  const object = z.unknown().check(
    z.refine(isObject, { error: "Invalid input: expected object", abort: true }),
    z.refine((value) => serializedBytes(value) <= maxBytes, {
      error: `must have at most ${maxBytes / 1024} KB as JSON, and not thousands of levels`,
    }),
    z.meta({ type: "object" }),
  );
  return object as unknown as z.ZodMiniType<Record<string, unknown>, Record<string, unknown>>;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function serializedBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY; // the serializer ran out of stack
  }
}
