import type {
  CodeableConcept as R4CodeableConcept,
  Dosage as R4Dosage,
  DosageDoseAndRate as R4DoseAndRate,
  TimingRepeat as R4Repeat,
  Timing as R4Timing,
} from "@medplum/fhirtypes";
import { IS_EMPTY } from "./report.ts";
import {
  type Checked,
  listOf,
  meaningless,
  type ObjectOf,
  objectOf,
  type Primitive,
  saysAbsent,
  type Table,
  type ValueOf,
} from "./shape.ts";

// The shapes of FHIR R4's data types (HL7, FHIR R4, "Data Types" and "Dosage").

/** What is in every element; it is handled where elements are read. */
type Common = "id" | "extension" | "modifierExtension";

/** Makes a shape of all elements that a data type has: one that is forgotten is a type error. */
const all =
  <Type>() =>
  <Elements extends Table & Record<Exclude<keyof Type, Common>, unknown>>(elements: Elements): ObjectOf<Elements> =>
    objectOf(elements);

const primitive = <Value>(check: (value: unknown) => Checked<Value>): Primitive<Value> => ({
  kind: "primitive",
  check,
});

/** The longest text that is read: one medicine may be in thousands of requests, and each has its text. */
export const MAX_TEXT = 4_000;

/** FHIR allows no white space around a string, and in it only spaces, tabs and line breaks. */
export const text = primitive<string>((value) => {
  if (typeof value !== "string") {
    return { fault: "must be a string" };
  }
  const plain = value
    .toWellFormed()
    .replaceAll(/[^\S \r\n\t]/g, " ")
    .trim();
  if (plain.length > MAX_TEXT) {
    return { fault: `must have at most ${MAX_TEXT} characters` };
  }
  return plain === "" ? { fault: IS_EMPTY } : { value: plain };
});

export const number = primitive<number>((value) =>
  typeof value === "number" ? { value } : { fault: "must be a number" },
);
export const boolean = primitive<boolean>((value) =>
  typeof value === "boolean" ? { value } : { fault: "must be true or false" },
);

/** FHIR's own expressions for dates and times, without the year 0. */
const DAY = /(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/;
const DATE = new RegExp(`^(?!0000)\\d{4}(-(0[1-9]|1[0-2]))?$|^${DAY.source}$`);
const TIME = /T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]((0\d|1[0-3]):[0-5]\d|14:00))/;
const DATE_TIME = new RegExp(`${DATE.source}|^${DAY.source}${TIME.source}$`);
const DAY_OF_MORE = new RegExp(`^(${DAY.source})[T ]`);

/** Common tools write times without a zone. Their dates are right, give or take a day, and are kept. */
function dated(pattern: RegExp, fault: string, lost: string): Primitive<string> {
  return primitive((value) => {
    const plain = typeof value === "string" ? value.trim() : "";
    const day = DAY_OF_MORE.exec(plain)?.[1];
    if (pattern.test(plain)) {
      return { value: plain };
    }
    return day === undefined ? { fault } : { value: day, fault: lost };
  });
}

export const dateTime = dated(
  DATE_TIME,
  "must be a date, or a date and time with a time zone",
  "has a time without a time zone, or one that is not valid: only its date is taken over",
);
export const date = dated(DATE, "must be a date such as 1990-05-07", "has a time: only its date is taken over");

const SAME_CODE = meaningless("the unit as a code: its name is read, or this code if it has none");

const coding = objectOf({
  system: text,
  version: meaningless("which edition of a code system a code is from"),
  code: text,
  display: text,
  userSelected: boolean,
});
export const codeableConcept = all<R4CodeableConcept>()({
  coding: listOf(coding),
  text,
  extension: primitive(saysAbsent),
});
export type CodeableConcept = ValueOf<typeof codeableConcept>;

export const identifier = objectOf({
  use: meaningless("names a record elsewhere"),
  type: meaningless("names a record elsewhere"),
  system: text,
  value: text,
  period: meaningless("names a record elsewhere"),
  assigner: meaningless("names a record elsewhere"),
});
export const reference = objectOf({
  reference: text,
  type: meaningless("the type of a resource, which it has itself"),
  identifier,
  display: text,
});
export type Reference = ValueOf<typeof reference>;

export const period = objectOf({ start: dateTime, end: dateTime });
export type Period = ValueOf<typeof period>;

export const quantity = objectOf({ value: number, comparator: text, unit: text, system: SAME_CODE, code: text });
export type Quantity = ValueOf<typeof quantity>;
const range = objectOf({ low: quantity, high: quantity });
export type Range = ValueOf<typeof range>;
export const ratio = objectOf({ numerator: quantity, denominator: quantity });
export type Ratio = ValueOf<typeof ratio>;

const repeat = all<R4Repeat>()({
  boundsDuration: quantity,
  boundsRange: range,
  boundsPeriod: period,
  count: number,
  countMax: number,
  duration: number,
  durationMax: number,
  durationUnit: text,
  frequency: number,
  frequencyMax: number,
  period: number,
  periodMax: number,
  periodUnit: text,
  dayOfWeek: listOf(text),
  timeOfDay: listOf(text),
  when: listOf(text),
  offset: number,
});
export type Repeat = ValueOf<typeof repeat>;

const timing = all<R4Timing>()({ event: listOf(dateTime), repeat, code: codeableConcept });
export type Timing = ValueOf<typeof timing>;

const doseAndRate = all<R4DoseAndRate>()({
  type: codeableConcept,
  doseRange: range,
  doseQuantity: quantity,
  rateRatio: ratio,
  rateRange: range,
  rateQuantity: quantity,
});
export type DoseAndRate = ValueOf<typeof doseAndRate>;

export const dosage = all<R4Dosage>()({
  sequence: number,
  text,
  additionalInstruction: listOf(codeableConcept),
  patientInstruction: text,
  timing,
  asNeededBoolean: boolean,
  asNeededCodeableConcept: codeableConcept,
  site: codeableConcept,
  route: codeableConcept,
  method: codeableConcept,
  doseAndRate: listOf(doseAndRate),
  maxDosePerPeriod: ratio,
  maxDosePerAdministration: quantity,
  maxDosePerLifetime: quantity,
});
export type Dosage = ValueOf<typeof dosage>;
