import * as z from "zod/mini";
import { closestName } from "../contract/closest-name.ts";

/** Longer names are truncated: they come from the caller and only need to be recognizable. */
const NAME_LENGTH = 60;

/** In so many letters, a misspelled name may differ from the suggested field. At least one has to match. */
const MOST_DIFFERENT = 3;

export interface UnknownField {
  path: string;
  value: unknown;
  message: string;
  /** The known field that was probably meant, without the places of elements in lists. Says nothing of the caller's. */
  meant: string | undefined;
}

/**
 * Finds the fields of a body that its schema does not have, at any depth. Free-form objects have no unknown fields.
 *
 * @param most the maximum number of fields to describe; the others are only counted, without a path
 */
export function unknownFields(schema: z.ZodMiniType, body: unknown, most: number): UnknownField[] {
  const found: UnknownField[] = [];
  search(schema, body, []);
  return found;

  function search(schema: unknown, value: unknown, path: (string | number)[]): void {
    if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) {
      search(schema.def.innerType, value, path);
    } else if (schema instanceof z.ZodMiniPipe) {
      search(schema.def.out, value, path);
    } else if (schema instanceof z.ZodMiniArray && Array.isArray(value)) {
      for (const [index, element] of value.entries()) {
        search(schema.def.element, element, [...path, index]);
      }
    } else if (
      schema instanceof z.ZodMiniObject &&
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value)
    ) {
      const known = Object.keys(schema.shape);
      for (const [name, field] of Object.entries(value)) {
        const fieldSchema = known.includes(name) ? schema.shape[name] : undefined;
        if (fieldSchema) {
          search(fieldSchema, field, [...path, name]);
        } else if (found.length >= most) {
          found.push({ path: "", message: "", value: undefined, meant: undefined });
        } else {
          const shown = name.slice(0, NAME_LENGTH) || '""'; // no path would mean the body itself
          const meant = closestName(name.slice(0, NAME_LENGTH), known, Math.min(MOST_DIFFERENT, name.length - 1));
          const names = path.filter((step) => typeof step === "string");
          found.push({
            path: [...path, shown].join("."),
            value: field,
            message: `is not a known field${meant === undefined ? "" : `; did you mean ${meant}?`}`,
            meant: meant && [...names, meant].join("."),
          });
        }
      }
    }
  }
}

/** Whether a path of a body leads into an object whose contents its schema leaves open. */
export function isFreeForm(schema: unknown, [step, ...rest]: readonly (string | number)[]): boolean {
  if (step === undefined) {
    return false;
  }
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) {
    return isFreeForm(schema.def.innerType, [step, ...rest]);
  }
  if (schema instanceof z.ZodMiniPipe) {
    return isFreeForm(schema.def.out, [step, ...rest]);
  }
  if (schema instanceof z.ZodMiniArray) {
    return isFreeForm(schema.def.element, rest);
  }
  if (schema instanceof z.ZodMiniObject) {
    const known = Object.hasOwn(schema.shape, step) ? schema.shape[step] : undefined;
    return known !== undefined && isFreeForm(known, rest);
  }
  return true;
}
