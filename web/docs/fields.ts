import { html, type Markup } from "../html.ts";
import { type ApiDocument, resolve, type Schema } from "./document.ts";
import { inline } from "./markdown.ts";

/**
 * Renders the fields of an object as a list, including those of nested objects.
 *
 * @param present the label of a field that is not optional
 * @param anchor what the links to the fields begin with; without it, there are none
 */
export function fieldList(
  document: ApiDocument,
  schema: Schema,
  present: "required" | "always there",
  anchor?: string,
): Markup {
  const { properties = {}, required = [] } = resolve(document, schema);
  return html`<dl class="fields">${Object.entries(properties).map(([name, property]) => {
    const field = resolve(document, property);
    const inner = objectIn(document, field);
    const limits = limitsOf(field);
    const id = anchor && `${anchor}.${name}`;
    const title = html`<code>${name}</code>`;
    return html`<dt${id && html` id="${id}"`}>${id ? html`<a href="#${id}">${title}</a>` : title} <span class="type">${typeName(document, field)}</span>${
      required.includes(name) && html` <span class="${present === "required" ? "required" : "type"}">${present}</span>`
    }</dt><dd>${field.description && html`<p>${inline(field.description)}</p>`}${limits && html`<p>${limits}</p>`}${inner && fieldList(document, inner, present, id)}</dd>`;
  })}</dl>`;
}

/** Returns the object whose fields are listed below a field: the field's own type or its array elements. */
function objectIn(document: ApiDocument, field: Schema): Schema | undefined {
  const candidates = [field, ...(field.anyOf ?? [])].flatMap((schema) => {
    const resolved = resolve(document, schema);
    return resolved.items ? [resolve(document, resolved.items)] : [resolved];
  });
  return candidates.find(({ properties }) => properties);
}

/** Returns a type in words, such as "array of string or null". */
function typeName(document: ApiDocument, schema: Schema): string {
  const { type, format, items, anyOf, enum: values, const: only } = resolve(document, schema);
  if (only !== undefined) {
    return JSON.stringify(only);
  }
  if (values) {
    return values.map((value) => JSON.stringify(value)).join(" or ");
  }
  if (anyOf) {
    return anyOf.map((candidate) => typeName(document, candidate)).join(" or ");
  }
  if (items) {
    return `array of ${typeName(document, items)}${type?.includes("null") ? " or null" : ""}`;
  }
  const name = [type ?? "any value"].flat().join(" or ");
  return format === "date-time" ? "timestamp" : name;
}

/** Returns limits in words; a pattern or a format is explained in the description. */
function limitsOf({ maxLength, maxItems, minimum, maximum }: Schema): string {
  return [
    maxLength !== undefined && `At most ${maxLength.toLocaleString("en")} characters.`,
    maxItems !== undefined && `At most ${maxItems.toLocaleString("en")} entries.`,
    maximum !== undefined && `From ${minimum} to ${maximum}.`,
  ]
    .filter(Boolean)
    .join(" ");
}
