import * as z from "zod/mini";

/** The maximum number of elements in a list of conditions, medications, notes or allergies. */
export const LIST_ITEMS = 500;

/** The maximum nesting of free-form objects: far less than the call stack allows, far more than records need. */
const MAX_LEVELS = 128;

/**
 * Adds metadata to a schema for the OpenAPI document.
 *
 * @returns a copy of the schema with the metadata
 */
export function documented<Schema extends z.ZodMiniType>(
  schema: Schema,
  metadata: Parameters<typeof z.meta>[0],
): Schema {
  return schema.check(z.meta(metadata));
}

/**
 * A string field. Lone surrogates, which JSON escapes can contain but UTF-8 cannot, become U+FFFD: DynamoDB rejects
 * them, and the caller would get a 500.
 */
export const text = z.string().check(z.overwrite((value) => (value.isWellFormed() ? value : value.toWellFormed())));

/** A phone number in any format, of 10 or 11 digits. */
export const phoneNumber = documented(text, {
  pattern: "^[^0-9]*([0-9][^0-9]*){10,11}$",
  description: "Any format; 10 digits get the country code 1, and the result must have 11 digits",
  examples: ["+1 (555) 123-4567"],
});

/**
 * A list of at most `maxItems` elements. The elements of a longer list are not validated: a body has room for 127,000
 * invalid ones, each with its own issue.
 *
 * @param options `asList` turns another value that is accepted into a list
 */
export function list<Element extends z.ZodMiniType>(
  element: Element,
  options: { maxItems?: number; description?: string; asList?: (value: unknown) => unknown } = {},
) {
  const { maxItems = LIST_ITEMS, description, asList = (value) => value } = options;
  const schema = z.array(element).check(z.maxLength(maxItems));
  const limited = z.transform((value: unknown, { issues }) => {
    const elements = asList(value);
    if (Array.isArray(elements) && elements.length > maxItems) {
      issues.push({ code: "too_big", origin: "array", maximum: maxItems, inclusive: true, input: elements });
    }
    return elements;
  });
  return z.pipe(limited, description ? documented(schema, { description }) : schema);
}

/** What the response of a list says about its next page. */
export const nextPage = {
  hasMore: z.boolean(),
  next: z.optional(documented(z.string(), { description: "The cursor of the next page, if there is more" })),
};

/**
 * A free-form JSON object of at most `maxBytes` when serialized, kept unchanged: zod's own object schema would drop a
 * key named `__proto__`.
 */
export function freeFormObject(maxBytes: number, maxLevels = MAX_LEVELS) {
  const object = documented(
    z.unknown().check(
      z.refine(isObject, { error: "must be an object", abort: true }),
      z.refine((value) => !isNestedDeeper(value, maxLevels), {
        error: `must not be nested more than ${maxLevels} levels deep`,
        abort: true,
      }),
      z.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxBytes, {
        error: `must have at most ${maxBytes / 1024} KB as JSON`,
      }),
    ),
    { type: "object" },
  );
  return object as unknown as z.ZodMiniType<Record<string, unknown>, Record<string, unknown>>;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Iterative, because a body has room for more levels than the call stack allows. */
function isNestedDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) {
      return true;
    }
    level = level.flatMap((parent) => Object.values(parent as object)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
