import fc from "fast-check";
import { boolean, date, dateTime, number, text } from "../../../shared/fhir/datatypes.ts";
import type { Meaningless, Shape, Unread } from "../../../shared/fhir/shape.ts";

export type Json = null | boolean | number | string | Json[] | { [element: string]: Json };

type Element = Shape | Meaningless | Unread;

const EVENTS = ["MORN", "NOON", "EVE", "NIGHT", "AC", "PCM", "CD", "HS", "WAKE", "C"];

/** Values of elements that have their own code systems, or mean something only with certain values. */
const VALUES: Record<string, string[]> = {
  status: ["active", "stopped", "completed", "on-hold", "unknown", "final", "nonsense"],
  criticality: ["low", "high", "severe"],
  intent: ["order", "plan"],
  gender: ["female", "male"],
  use: ["official", "old", "mobile"],
  comparator: ["<", ">=", ">"],
  periodUnit: ["h", "d", "wk", "fortnight"],
  durationUnit: ["min", "h", "long"],
  dayOfWeek: ["mon", "wed", "Friday"],
  timeOfDay: ["08:00:00", "12:30:00", "20:15:10", "8 am"],
  when: [...EVENTS, "DUSK"],
  system: [
    "http://snomed.info/sct",
    "http://loinc.org",
    "http://terminology.hl7.org/CodeSystem/v3-GTSAbbreviation",
    "phone",
    "urn:other",
  ],
  code: ["active", "resolved", "73425007", "82810-3", "BID", "QD", "d", "mg", "387458008", "nonsense"],
  reference: ["Patient/p", "Medication/m", "Medication/none"],
  value: ["+1 555 010 0001", "5550100002", "123"],
};
const DATES = ["2020", "2021-03", "2022-04-05", "2999-01-02"];
const TIMES = ["2023-05-06T07:08:09Z", "2024-05-06T07:08:09+10:00"];

const words = fc.nat({ max: 99_999 }).map((number) => `word ${number}`);

/** Values for an element, by its shape, whether it is read or not; all of its elements may be there. */
export function valuesOf(shape: Element, name = ""): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case "object":
      return fc.record(
        Object.fromEntries(Object.entries(shape.elements).map(([element, of]) => [element, valuesOf(of, element)])),
        { requiredKeys: [] },
      ) as fc.Arbitrary<Json>;
    case "list":
      return fc.array(valuesOf(shape.element, name), { minLength: 1, maxLength: 2 });
    case "primitive":
      return primitive(shape, name);
    default:
      return fc.oneof(words, fc.record({ text: words, value: fc.nat() }));
  }
}

function primitive(shape: Shape, name: string): fc.Arbitrary<Json> {
  const known: [Shape, fc.Arbitrary<Json>][] = [
    [number, fc.nat({ max: 12 })],
    [boolean, fc.boolean()],
    [date, fc.constantFrom(...DATES)],
    [dateTime, fc.constantFrom(...DATES, ...TIMES)],
    [text, Object.hasOwn(VALUES, name) ? fc.constantFrom(...(VALUES[name] ?? [])) : words],
  ];
  return known.find(([of]) => of === shape)?.[1] ?? fc.constant([{ url: "urn:extension", valueString: "x" }]);
}

/** A value that contains no other, with its path, and how to give it another value. */
export interface Leaf {
  path: string;
  value: Json;
  parent: { [element: string]: Json };
  element: string;
}

/** Returns all leaves of a value. */
export function leavesOf(value: Json, path: string): Leaf[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([element, child]) => {
    const own = Array.isArray(value) ? `${path}[${element}]` : `${path}.${element}`;
    const inner = leavesOf(child, own);
    const isLeaf = child !== null && typeof child !== "object";
    return isLeaf ? [{ path: own, value: child, parent: value as Leaf["parent"], element }] : inner;
  });
}

/** Returns values that a leaf could have instead. */
export function othersFor({ path, value, element }: Leaf): Json[] {
  if (typeof value === "boolean") {
    return [!value];
  }
  if (typeof value === "number") {
    return [value + 1, value + 7];
  }
  const name = /\.(\w+)(\[\d+\])?$/.exec(path)?.[1] ?? element;
  const text = String(value);
  const among = [DATES, TIMES, VALUES[name] ?? []].find((values) => values.includes(text));
  return among ? among.filter((other) => other !== text) : [`${text}1`];
}
