import * as z from "zod/mini";

/** The maximum number of elements in a list of conditions, medications, notes or allergies. */
export const LIST_ITEMS = 500;

/** The maximum length of texts, in UTF-16 code units: a name or a dosage, and what somebody writes about a patient. */
const SHORT_LENGTH = 2_000;
const LONG_LENGTH = 16_000;

/** What a free-form object may contain at most: far less than would make reading it slow, far more than records need. */
interface Limits {
  /** Of nesting: far fewer than the call stack allows. */
  levels: number;
  /** Of all lists and objects in it together. */
  values: number;
  /** Of each text and name, in UTF-16 code units. */
  characters: number;
}
const LIMITS: Limits = { levels: 128, values: 10_000, characters: 32_000 };

/** The limits, for a description. */
export const FREE_FORM = `at most ${LIMITS.values} values, ${LIMITS.levels} levels deep, and texts of ${LIMITS.characters} characters`;

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
 * A string field of any length. Lone surrogates, which JSON escapes can contain but UTF-8 cannot, become U+FFFD:
 * DynamoDB rejects them, and the caller would get a 500.
 */
export const text = z.string().check(z.overwrite((value) => (value.isWellFormed() ? value : value.toWellFormed())));

/** A string field as long as a name, an id or a dosage; and one for what somebody writes. */
export const shortText = text.check(z.maxLength(SHORT_LENGTH));
export const longText = text.check(z.maxLength(LONG_LENGTH));

/** What may stand between the digits of a phone number in the pattern. */
const JUNK = "[^0-9A-Za-z#,;~+]*";

/**
 * A phone number in any format. The pattern has what every program can check; extensions and the digits of other scripts
 * are accepted too.
 */
export const phoneNumber = documented(text, {
  pattern: `^[^0-9+]*(${JUNK}([0-9]${JUNK}){10,11}|[+]${JUNK}([2-9]${JUNK}([0-9]${JUNK}){7,14}|1${JUNK}([0-9]${JUNK}){10}))$`,
  description:
    "Any format; 10 digits get the country code 1, and the result must have 11 digits. With a plus and another country code than 1: 8 to 15 digits, which stay as they are. An extension is left out. With a profile that names a country outside North America, national numbers of that country, which the pattern may not allow",
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
 * A free-form JSON object of at most `maxBytes` when serialized, and within limits, kept unchanged: zod's own object schema would drop a
 * key named `__proto__`.
 */
export function freeFormObject(maxBytes: number, limits: Limits = LIMITS) {
  const object = documented(
    z.unknown().check(
      z.refine(isObject, { error: "must be an object", abort: true }),
      z.refine((value) => excessOf(value, limits) === undefined, {
        error: ({ input }) => excessOf(input, limits),
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

/** Says which limit a value exceeds. Iterative, because a body has room for more levels than the call stack allows. */
function excessOf(value: unknown, { levels, values, characters }: Limits): string | undefined {
  let level = [value];
  for (let depth = 0, count = 0; level.length > 0; depth++) {
    if (depth > levels) {
      return `must not be nested more than ${levels} levels deep`;
    }
    const children = level.flatMap((parent) => Object.entries(parent as object));
    count += children.length;
    if (count > values) {
      return `must have at most ${values} values`;
    }
    if (children.some((texts) => texts.some((text) => typeof text === "string" && text.length > characters))) {
      return `must not have a text of more than ${characters} characters`;
    }
    level = children.map(([, child]) => child).filter(isContainer);
  }
  return undefined;
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
