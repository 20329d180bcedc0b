import type {
  AllergyIntolerance,
  AllergyIntoleranceReaction,
  Composition,
  CompositionSection,
  Condition,
  ContactPoint,
  HumanName,
  Medication,
  MedicationIngredient,
  MedicationRequest,
  MedicationStatement,
  Observation,
  Patient,
} from "@medplum/fhirtypes";
import {
  boolean,
  codeableConcept,
  date,
  dateTime,
  dosage,
  identifier,
  number,
  period,
  quantity,
  ratio,
  reference,
  text,
} from "./datatypes.ts";
import { listOf, meaningless, type ObjectOf, objectOf, type Table, UNREAD, type ValueOf } from "./shape.ts";

// What is read of each resource, what has no clinical meaning and why, and what is named because a record has no place
// for it: every element of HL7's definitions (FHIR R4).

/** What all resources have. Their texts, versions and contained resources are handled where resources are read. */
type Common =
  | "resourceType"
  | "id"
  | "meta"
  | "implicitRules"
  | "language"
  | "text"
  | "contained"
  | "extension"
  | "modifierExtension";

/** Makes a shape of all elements that a resource has: one that is forgotten is a type error. */
const all =
  <Type>() =>
  <Elements extends Table & Record<Exclude<keyof Type, Common>, unknown>>(elements: Elements): ObjectOf<Elements> =>
    objectOf(elements);

const NAMES_RESOURCE = meaningless("names the resource in other systems");
const WHO_AND_WHERE = meaningless("who recorded, asked, gave or measured, and where");
const WHEN_RECORDED = meaningless("when it was written down");
const ORIGIN = meaningless("which order, plan or document it comes from");
const SORTED = meaningless("sorts resources in lists");
const ADMINISTRATIVE = meaningless("administration: payment, supply and the like");
const CONTACT = meaningless("how to reach or recognize the person, besides name and phone number");
const PART_OF_NAME = meaningless("titles and the like, which nobody is called by in a chat");
const HOW_MEASURED = meaningless("how a value was measured");

const humanName = all<HumanName>()({
  use: text,
  text,
  family: text,
  given: listOf(text),
  prefix: PART_OF_NAME,
  suffix: PART_OF_NAME,
  period,
});
const contactPoint = all<ContactPoint>()({ system: text, value: text, use: text, rank: number, period });

const beginning = objectOf({ start: dateTime, end: UNREAD });

export const RESOURCES = {
  Patient: all<Patient>()({
    identifier: listOf(identifier),
    active: boolean,
    name: listOf(humanName),
    telecom: listOf(contactPoint),
    gender: text,
    birthDate: date,
    deceasedBoolean: boolean,
    deceasedDateTime: dateTime,
    address: CONTACT,
    maritalStatus: CONTACT,
    multipleBirthBoolean: UNREAD,
    multipleBirthInteger: UNREAD,
    photo: CONTACT,
    contact: CONTACT,
    communication: CONTACT,
    generalPractitioner: WHO_AND_WHERE,
    managingOrganization: WHO_AND_WHERE,
    link: UNREAD,
  }),
  AllergyIntolerance: all<AllergyIntolerance>()({
    identifier: NAMES_RESOURCE,
    clinicalStatus: codeableConcept,
    verificationStatus: codeableConcept,
    type: UNREAD,
    category: SORTED,
    criticality: text,
    code: codeableConcept,
    patient: reference,
    encounter: WHO_AND_WHERE,
    onsetDateTime: dateTime,
    onsetAge: UNREAD,
    onsetPeriod: beginning,
    onsetRange: UNREAD,
    onsetString: UNREAD,
    recordedDate: WHEN_RECORDED,
    recorder: WHO_AND_WHERE,
    asserter: WHO_AND_WHERE,
    lastOccurrence: UNREAD,
    note: UNREAD,
    reaction: listOf(
      all<AllergyIntoleranceReaction>()({
        substance: codeableConcept,
        manifestation: listOf(codeableConcept),
        description: UNREAD,
        onset: UNREAD,
        severity: UNREAD,
        exposureRoute: UNREAD,
        note: UNREAD,
      }),
    ),
  }),
  Condition: all<Condition>()({
    identifier: NAMES_RESOURCE,
    clinicalStatus: codeableConcept,
    verificationStatus: codeableConcept,
    category: SORTED,
    severity: UNREAD,
    code: codeableConcept,
    bodySite: UNREAD,
    subject: reference,
    encounter: WHO_AND_WHERE,
    onsetDateTime: dateTime,
    onsetAge: UNREAD,
    onsetPeriod: beginning,
    onsetRange: UNREAD,
    onsetString: UNREAD,
    abatementDateTime: dateTime,
    abatementAge: quantity,
    abatementPeriod: period,
    abatementRange: objectOf({ low: quantity, high: quantity }),
    abatementString: text,
    recordedDate: dateTime,
    recorder: WHO_AND_WHERE,
    asserter: WHO_AND_WHERE,
    stage: UNREAD,
    evidence: UNREAD,
    note: UNREAD,
  }),
  MedicationStatement: all<MedicationStatement>()({
    identifier: NAMES_RESOURCE,
    basedOn: ORIGIN,
    partOf: ORIGIN,
    status: text,
    statusReason: UNREAD,
    category: SORTED,
    medicationCodeableConcept: codeableConcept,
    medicationReference: reference,
    subject: reference,
    context: WHO_AND_WHERE,
    effectiveDateTime: dateTime,
    effectivePeriod: period,
    dateAsserted: WHEN_RECORDED,
    informationSource: WHO_AND_WHERE,
    derivedFrom: ORIGIN,
    reasonCode: UNREAD,
    reasonReference: UNREAD,
    note: UNREAD,
    dosage: listOf(dosage),
  }),
  MedicationRequest: all<MedicationRequest>()({
    identifier: NAMES_RESOURCE,
    status: text,
    statusReason: UNREAD,
    intent: text,
    category: SORTED,
    priority: ADMINISTRATIVE,
    doNotPerform: boolean,
    reportedBoolean: WHO_AND_WHERE,
    reportedReference: WHO_AND_WHERE,
    medicationCodeableConcept: codeableConcept,
    medicationReference: reference,
    subject: reference,
    encounter: WHO_AND_WHERE,
    supportingInformation: UNREAD,
    authoredOn: dateTime,
    requester: WHO_AND_WHERE,
    performer: WHO_AND_WHERE,
    performerType: WHO_AND_WHERE,
    recorder: WHO_AND_WHERE,
    reasonCode: UNREAD,
    reasonReference: UNREAD,
    instantiatesCanonical: ORIGIN,
    instantiatesUri: ORIGIN,
    basedOn: ORIGIN,
    groupIdentifier: NAMES_RESOURCE,
    courseOfTherapyType: UNREAD,
    insurance: ADMINISTRATIVE,
    note: UNREAD,
    dosageInstruction: listOf(dosage),
    dispenseRequest: ADMINISTRATIVE,
    substitution: ADMINISTRATIVE,
    priorPrescription: ORIGIN,
    detectedIssue: UNREAD,
    eventHistory: ORIGIN,
  }),
  Medication: all<Medication>()({
    identifier: NAMES_RESOURCE,
    code: codeableConcept,
    status: text,
    manufacturer: ADMINISTRATIVE,
    form: UNREAD,
    amount: UNREAD,
    ingredient: listOf(
      all<MedicationIngredient>()({
        itemCodeableConcept: codeableConcept,
        itemReference: reference,
        isActive: boolean,
        strength: ratio,
      }),
    ),
    batch: ADMINISTRATIVE,
  }),
  Observation: all<Observation>()({
    identifier: NAMES_RESOURCE,
    basedOn: ORIGIN,
    partOf: ORIGIN,
    status: text,
    category: SORTED,
    code: codeableConcept,
    subject: reference,
    focus: UNREAD,
    encounter: WHO_AND_WHERE,
    effectiveDateTime: dateTime,
    effectivePeriod: beginning,
    effectiveTiming: UNREAD,
    effectiveInstant: dateTime,
    issued: dateTime,
    performer: WHO_AND_WHERE,
    valueQuantity: quantity,
    valueCodeableConcept: codeableConcept,
    valueString: text,
    valueBoolean: boolean,
    valueInteger: UNREAD,
    valueRange: UNREAD,
    valueRatio: UNREAD,
    valueSampledData: UNREAD,
    valueTime: UNREAD,
    valueDateTime: UNREAD,
    valuePeriod: UNREAD,
    dataAbsentReason: UNREAD,
    interpretation: UNREAD,
    note: UNREAD,
    bodySite: UNREAD,
    method: HOW_MEASURED,
    specimen: HOW_MEASURED,
    device: HOW_MEASURED,
    referenceRange: HOW_MEASURED,
    hasMember: UNREAD,
    derivedFrom: HOW_MEASURED,
    component: UNREAD,
  }),
  Composition: all<Composition>()({
    identifier: NAMES_RESOURCE,
    status: SORTED,
    type: SORTED,
    category: SORTED,
    subject: reference,
    encounter: WHO_AND_WHERE,
    date: WHEN_RECORDED,
    author: WHO_AND_WHERE,
    title: SORTED,
    confidentiality: ADMINISTRATIVE,
    attester: WHO_AND_WHERE,
    custodian: WHO_AND_WHERE,
    relatesTo: ORIGIN,
    event: ORIGIN,
    section: listOf(
      all<CompositionSection>()({
        title: SORTED,
        code: codeableConcept,
        author: WHO_AND_WHERE,
        focus: UNREAD,
        text: meaningless("the section's resources in words"),
        mode: SORTED,
        orderedBy: SORTED,
        entry: meaningless("names the section's resources, which are read themselves"),
        emptyReason: codeableConcept,
        section: UNREAD,
      }),
    ),
  }),
} as const;

export type ReadType = keyof typeof RESOURCES;
export type Resource<Type extends ReadType> = ValueOf<(typeof RESOURCES)[Type]>;
