import type { Quantity, Range, Ratio } from "./datatypes.ts";
import type { Name } from "./report.ts";
import { TIME_WORDS, timeUnit } from "./timing-codes.ts";

// Quantities in words (HL7, FHIR R4, "Data Types": Quantity, Range, Ratio). What cannot be said is named.

/** The comparators of quantities (HL7, FHIR R4, value set quantity-comparator). */
const COMPARATORS = new Map([
  ["<", "less than "],
  ["<=", "at most "],
  [">=", "at least "],
  [">", "more than "],
]);

const NO_VALUE = "has no value";

/** Units that are counted, in the plural unless there is one. */
const COUNTED =
  /^(tablet|capsule|pill|caplet|puff|drop|spray|patch|suppository|dose|unit|ampoule|sachet|lozenge|teaspoon|tablespoon|application|vial|piece|injection|inhalation|film|scoop)$/i;

/** Returns a quantity in words: "2 tablets", "at most 5 mg". Zero is a value. */
export function quantityText(quantity: Quantity, path: string, name: Name): string | undefined {
  const { value, comparator } = quantity;
  const words = comparator === undefined ? "" : COMPARATORS.get(comparator);
  if (value === undefined || words === undefined) {
    name(path, value === undefined ? NO_VALUE : "has a comparator that FHIR does not have");
    return undefined;
  }
  return `${words}${counted(value, unitOf(quantity))}`;
}

/** Returns a range in words: "1–2 tablets", "up to 2 tablets". */
export function rangeText({ low, high }: Range, path: string, name: Name): string | undefined {
  const lowest = low && quantityText(low, `${path}.low`, name);
  const highest = high && quantityText(high, `${path}.high`, name);
  if (lowest === undefined || highest === undefined) {
    return lowest === undefined ? highest && `up to ${highest}` : `at least ${lowest}`;
  }
  const isOneUnit = !low?.comparator && !high?.comparator && [unitOf(high ?? {}), ""].includes(unitOf(low ?? {}));
  return isOneUnit ? `${low?.value}–${highest}` : `${lowest} to ${highest}`;
}

/** Returns a ratio in words: "4 tablets a day", "100 mL per 2 hours". */
export function ratioText({ numerator, denominator }: Ratio, path: string, name: Name): string | undefined {
  const amount = numerator && quantityText(numerator, `${path}.numerator`, name);
  if (amount === undefined || denominator === undefined) {
    if (denominator !== undefined) {
      name(`${path}.denominator`, "is per something, but not how much");
    }
    return amount;
  }
  const per = quantityText(denominator, `${path}.denominator`, name);
  const unit = unitOf(denominator);
  if (per === undefined) {
    return amount;
  }
  const isOne = denominator.value === 1 && denominator.comparator === undefined && unit !== "";
  return isOne ? `${amount} ${TIME_WORDS.has(unit) ? each(unit) : `per ${unit}`}` : `${amount} per ${per}`;
}

/** Returns "a day", "an hour". */
export function each(unit: string): string {
  return `${unit === "hour" ? "an" : "a"} ${unit}`;
}

/** Returns a number with its unit: "2 tablets", "1 day". */
export function counted(value: number | string, unit: string): string {
  const isPlural = value !== 1 && (COUNTED.test(unit) || TIME_WORDS.has(unit));
  return `${value} ${isPlural ? plural(unit) : unit}`.trim();
}

function plural(unit: string): string {
  return /(ch|s)$/i.test(unit) ? `${unit}es` : /[^aeiou]y$/i.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`;
}

/** The unit: its name, or its UCUM code without the braces of an annotation. UCUM's 1 is no unit. */
function unitOf({ unit, code }: Quantity): string {
  const own = unit ?? code?.replace(/^\{(.+)\}$/, "$1") ?? "";
  return timeUnit(own) ?? (own === "1" ? "" : own);
}
