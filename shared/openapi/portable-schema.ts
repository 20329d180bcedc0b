import type { ZodOpenApiOverride } from "zod-openapi";

/**
 * Rewrites schemas from which widely used generators would create code that does not compile or rejects valid
 * responses (the workflow `generators` compiles some). The rules for `const`, `null` and the last one widen what is
 * valid, and a description says what is; our own client's types and checks of responses read it from there
 * (`tools/client/generate-types.ts`, `shared/live-check/contract.ts`):
 *
 * - A boolean `const` becomes an enum of strings in Java. An `enum` of one boolean becomes a type of its own in Java
 *   and Kotlin, and does not compile in C#.
 * - A numeric `const` is an integer as the value of a `Double` in Java, which does not compile.
 * - A `pattern` beside a `format` is checked against the parsed value, such as a Java or Python date.
 * - Objects without `properties` are free-form only with `additionalProperties: true`.
 * - `additionalProperties: false` makes Java clients throw as soon as a response has a new field. Callers should ignore
 *   unknown fields, so responses omit it; our own check of responses adds it again (`shared/live-check/contract.ts`).
 * - A type that is only `null` does not compile in oapi-codegen. It becomes any value, with a description that says
 *   null.
 * - The limits of a safe integer make messages and sizes 64-bit numbers, and say nothing.
 * - A number without a format is a `BigDecimal` in Java and Kotlin, and Kotlin's clients send it as a string.
 * - Null beside a list, as a choice, becomes null or a list's element in oapi-codegen. A list of types does not.
 * - A choice between a string and a free-form object becomes a model with a member for each, which compiles in few
 *   languages and is awkward in all. It becomes any value, with a description that names the types.
 */
export const portableSchema: ZodOpenApiOverride = ({ jsonSchema: schema, io }) => {
  if (typeof schema.const === "boolean" || typeof schema.const === "number") {
    schema.type = typeof schema.const === "number" ? "integer" : "boolean";
    schema.description ??= `Always ${schema.const}`;
    delete schema.const;
  }
  if (schema.format === "date-time") {
    delete schema.pattern;
  }
  if (schema.type === "null") {
    schema.description ??= "Always null";
    delete schema.type;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) {
    delete schema.maximum;
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) {
    delete schema.minimum;
  }
  if (schema.type === "number") {
    schema.format = "double";
  }
  const [value, other] = schema.anyOf ?? [];
  if (schema.anyOf?.length === 2 && value?.type === "array" && other?.type === "null") {
    delete schema.anyOf;
    Object.assign(schema, { ...value, ...schema, type: ["array", "null"] });
  }
  const types = schema.anyOf?.map(({ type }) => type) ?? [];
  if (types.includes("object") && !types.includes("null")) {
    schema.description ??= `Of type ${types.join(" or ")}`;
    delete schema.anyOf;
  }
  if (schema.type === "object" && !schema.properties) {
    schema.additionalProperties = true;
    delete schema.propertyNames;
  } else if (schema.additionalProperties === false && io === "output") {
    delete schema.additionalProperties;
  }
};
