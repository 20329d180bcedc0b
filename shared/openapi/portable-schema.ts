import type { ZodOpenApiOverride } from "zod-openapi";

const TYPES = ["array", "boolean", "null", "number", "object", "string"] as const;

/**
 * Rewrites schemas from which widely used generators would create code that does not compile or rejects valid
 * responses, without changing what is valid (`npm run test:generators` shows the effect):
 *
 * - A boolean `const` becomes an enum of strings in Java. Its negation means the same, and generators ignore it.
 * - A `pattern` beside a `format` is checked against the parsed value, such as a Java or Python date.
 * - Objects without `properties` are free-form only with `additionalProperties: true`.
 * - `additionalProperties: false` makes Java clients throw as soon as a response has a new field. Callers should ignore
 *   unknown fields, so responses omit it; our own check of responses adds it again (`tools/live-check/contract.ts`).
 * - A choice between a string and a free-form object does not compile in Java. It becomes the negation of all other types,
 *   which generators ignore, with a description that names the types.
 * - Conditions on combinations of fields, which are an `anyOf` beside `properties`, take the place of the fields. Negated
 *   twice, they mean the same, and generators ignore them.
 * - The maximum of a safe integer makes messages and sizes 64-bit numbers, and says nothing.
 */
export const portableSchema: ZodOpenApiOverride = ({ jsonSchema: schema, io }) => {
  if (typeof schema.const === "boolean") {
    schema.not = { const: !schema.const };
    delete schema.const;
  }
  if (schema.format === "date-time" || schema.format === "uuid") {
    delete schema.pattern;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) {
    delete schema.maximum;
  }
  const types = schema.anyOf?.map(({ type }) => type) ?? [];
  if (types.includes("object") && !types.includes("null")) {
    schema.description ??= `Of type ${types.join(" or ")}`;
    schema.not = { type: TYPES.filter((type) => !types.includes(type)), items: {} }; // Spectral wants items for arrays
    delete schema.anyOf;
  }
  if (schema.anyOf && schema.properties) {
    schema.not = { not: { anyOf: schema.anyOf } };
    delete schema.anyOf;
  }
  if (schema.type === "object" && !schema.properties) {
    schema.additionalProperties = true;
    delete schema.propertyNames;
  } else if (schema.additionalProperties === false && io === "output") {
    delete schema.additionalProperties;
  }
};
