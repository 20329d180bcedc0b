import * as z from "zod/mini";

/**
 * A string field. Lone surrogates, which JSON can carry in escapes but UTF-8 cannot, become U+FFFD here, because
 * DynamoDB refuses them and a refusal there would be a 500 for what is only odd input.
 */
export function text() {
  return z.string().check(z.overwrite((value) => (value.isWellFormed() ? value : value.toWellFormed())));
}

/**
 * A free-form JSON object of at most `maxBytes` once serialized. Nesting too deep for the serializer is refused as
 * well, so it can always be stored.
 */
export function freeFormObject(maxBytes: number) {
  return z.record(z.string(), z.unknown()).check(
    z.refine((value) => serializedBytes(value) <= maxBytes, {
      error: `must be a JSON object of at most ${maxBytes} bytes, and not nested thousands of levels deep`,
    }),
  );
}

function serializedBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY; // the serializer ran out of stack
  }
}
