import * as z from "zod/mini";
import { text as anyText } from "../contract/fields.ts";

// The schemas of the elements that are read (HL7, FHIR R4). Whatever else a resource has is neither checked nor read.

/** FHIR allows no white space around a string, and in it only spaces, tabs and line breaks. */
const text = anyText.check(z.overwrite((value) => value.replaceAll(/[^\S \r\n\t]/g, " ").trim()));

/** FHIR's own expression for dates and times, without the year 0. */
const DATE_TIME =
  /^(?!0000)\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]((0\d|1[0-3]):[0-5]\d|14:00)))?)?)?$/;

const dateTime = text.check(z.regex(DATE_TIME, { error: "must be a date, or a date and time with a time zone" }));
const date = text.check(z.regex(/^\d{4}(-\d\d){0,2}$/, { error: "must be a date such as 1990-05-07" }));

/** Optional elements. A primitive that only has extensions is absent, and in a list null stands for it. */
const optional = <Shape extends Record<string, z.ZodMiniType>>(shape: Shape) => z.partial(z.object(shape));
const listOf = <Element extends z.ZodMiniType>(element: Element) => z.array(element);
const texts = z.array(z.nullable(text));

const extension = optional({ url: text, valueCode: text });

const coding = optional({ system: text, code: text, display: text, userSelected: z.boolean() });
const codeableConcept = optional({ coding: listOf(coding), text, extension: listOf(extension) });
export type CodeableConcept = z.output<typeof codeableConcept>;

const identifier = optional({ system: text, value: text });
const reference = optional({ reference: text, display: text, identifier });
export type Reference = z.output<typeof reference>;

const period = optional({ start: dateTime, end: dateTime });
export type Period = z.output<typeof period>;

const quantity = optional({ value: z.number(), unit: text, code: text, comparator: text });

const humanName = optional({ use: text, text, family: text, given: texts, period });
const contactPoint = optional({ system: text, value: text, use: text, rank: z.number(), period });

const medication = optional({
  status: text,
  code: codeableConcept,
  ingredient: listOf(optional({ itemCodeableConcept: codeableConcept })),
});

const dosage = optional({
  text,
  patientInstruction: text,
  asNeededBoolean: z.boolean(),
  timing: optional({
    code: codeableConcept,
    repeat: optional({ frequency: z.number(), period: z.number(), periodUnit: text }),
  }),
  doseAndRate: listOf(optional({ doseQuantity: quantity })),
});
export type Dosage = z.output<typeof dosage>;

/** A resource inside of another. Only medications are read. */
const contained = listOf(z.looseObject({ resourceType: text, id: z.optional(text) }));

const ofMedication = {
  contained,
  subject: reference,
  status: text,
  medicationCodeableConcept: codeableConcept,
  medicationReference: reference,
};

/** The resources that are read, by type. */
export const RESOURCES = {
  Patient: optional({
    id: text,
    identifier: listOf(identifier),
    name: listOf(humanName),
    telecom: listOf(contactPoint),
    gender: text,
    birthDate: date,
    deceasedBoolean: z.boolean(),
    deceasedDateTime: dateTime,
  }),
  AllergyIntolerance: optional({
    patient: reference,
    clinicalStatus: codeableConcept,
    verificationStatus: codeableConcept,
    criticality: text,
    code: codeableConcept,
    onsetDateTime: dateTime,
    onsetPeriod: period,
    reaction: listOf(optional({ substance: codeableConcept, manifestation: listOf(codeableConcept) })),
  }),
  Condition: optional({
    subject: reference,
    clinicalStatus: codeableConcept,
    verificationStatus: codeableConcept,
    code: codeableConcept,
    onsetDateTime: dateTime,
    onsetPeriod: period,
    abatementDateTime: dateTime,
    abatementPeriod: period,
    abatementString: text,
    abatementAge: quantity,
  }),
  MedicationStatement: optional({
    ...ofMedication,
    effectiveDateTime: dateTime,
    effectivePeriod: period,
    dosage: listOf(dosage),
  }),
  MedicationRequest: optional({
    ...ofMedication,
    intent: text,
    doNotPerform: z.boolean(),
    authoredOn: dateTime,
    dosageInstruction: listOf(dosage),
  }),
  Medication: optional({ id: text, ...medication._zod.def.shape }),
  Observation: optional({
    subject: reference,
    status: text,
    code: codeableConcept,
    effectiveDateTime: dateTime,
    effectivePeriod: period,
    effectiveInstant: dateTime,
    issued: dateTime,
    valueCodeableConcept: codeableConcept,
    valueString: text,
    valueBoolean: z.boolean(),
    valueQuantity: quantity,
  }),
  Composition: optional({
    subject: reference,
    section: listOf(optional({ code: codeableConcept, emptyReason: codeableConcept })),
  }),
} as const;

export type ReadType = keyof typeof RESOURCES;
export type Resource<Type extends ReadType> = z.output<(typeof RESOURCES)[Type]>;

/** A medication inside of a statement or request. */
export const containedMedication = medication;
