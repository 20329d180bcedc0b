import type {
  AllergyIntolerance,
  Bundle,
  CodeableConcept,
  Condition,
  MedicationStatement,
  Observation,
  Patient as PatientResource,
  Reference,
} from "@medplum/fhirtypes";
import { clinicalOf } from "../patients/clinical.ts";
import type { ClinicalEntry } from "../patients/clinical-entry.ts";
import type { Patient } from "../patients/patient.ts";
import { nameOf, unnamedOf } from "./concept.ts";

/** The administrative genders (HL7, value set administrative-gender). */
const GENDERS = ["male", "female", "other", "unknown"] as const;

type Subject = Reference<PatientResource>;

/**
 * Returns a patient's record as a Bundle. It contains the codes that were imported and no others: what was never coded
 * is a text. The time is that of the record, so an unchanged record has an unchanged Bundle.
 */
export function toBundle(patient: Patient): Bundle {
  const subject = { reference: `urn:uuid:${patient.id}` };
  return writable({
    resourceType: "Bundle",
    type: "collection",
    timestamp: patient.updated_at,
    entry: [
      { fullUrl: subject.reference, resource: patientResource(patient) },
      ...clinicalOf(patient)
        .filter(({ text }) => text.trim() !== "")
        .map((entry) => ({ resource: resourceOf(entry, subject) })),
    ],
  });
}

/** Replaces white space that FHIR does not allow in strings by spaces. */
function writable(bundle: Bundle): Bundle {
  return JSON.parse(JSON.stringify(bundle), (_, value) =>
    typeof value === "string" ? value.replaceAll(/[^\S \r\n\t]/g, " ") : value,
  );
}

function patientResource({ id, name, phone_number, gender, birth_date, identifiers }: Patient): PatientResource {
  const code = GENDERS.find((each) => each === gender?.trim().toLowerCase());
  return {
    resourceType: "Patient",
    id,
    ...(identifiers && { identifier: identifiers }),
    ...(name && { name: [{ text: name }] }),
    ...(phone_number && { telecom: [{ system: "phone", value: `+${phone_number}` }] }),
    ...(code && { gender: code }),
    ...(birth_date && { birthDate: birth_date }),
  };
}

function resourceOf(
  entry: ClinicalEntry,
  subject: Subject,
): AllergyIntolerance | Condition | MedicationStatement | Observation {
  switch (entry.kind) {
    case "allergy":
      return allergyResource(entry, subject);
    case "condition":
      return conditionResource(entry, subject);
    case "medication":
      return medicationResource(entry, subject);
    case "observation":
      return observationResource(entry, subject);
  }
}

const TERMINOLOGY = "http://terminology.hl7.org/CodeSystem";

function allergyResource(entry: ClinicalEntry, patient: Subject): AllergyIntolerance {
  const { status, verification, criticality, reactions, start } = entry;
  return {
    resourceType: "AllergyIntolerance",
    ...(status && { clinicalStatus: statusConcept("allergyintolerance-clinical", status) }),
    ...(verification && { verificationStatus: statusConcept("allergyintolerance-verification", verification) }),
    ...(criticality && { criticality: criticality as NonNullable<AllergyIntolerance["criticality"]> }),
    code: conceptOf(entry),
    patient,
    ...(start && { onsetDateTime: start }),
    ...(reactions && { reaction: [{ manifestation: reactions.map((text) => ({ text })) }] }),
  };
}

function conditionResource(entry: ClinicalEntry, subject: Subject): Condition {
  const { status, verification, start, end } = entry;
  return {
    resourceType: "Condition",
    ...(status && { clinicalStatus: statusConcept("condition-clinical", status) }),
    ...(verification && { verificationStatus: statusConcept("condition-ver-status", verification) }),
    code: conceptOf(entry),
    subject,
    ...(start && { onsetDateTime: start }),
    ...(end && { abatementDateTime: end }),
  };
}

/** A medicine whose status nobody has told is on the list because it is taken; FHIR wants a status. */
function medicationResource(entry: ClinicalEntry, subject: Subject): MedicationStatement {
  const { status = "active", start, end, dosage, frequency } = entry;
  return {
    resourceType: "MedicationStatement",
    status: status as NonNullable<MedicationStatement["status"]>,
    medicationCodeableConcept: conceptOf(entry),
    subject,
    ...((start || end) && { effectivePeriod: { ...(start && { start }), ...(end && { end }) } }),
    ...((dosage || frequency) && {
      dosage: [{ ...(dosage && { text: dosage }), ...(frequency && { timing: { code: { text: frequency } } }) }],
    }),
  };
}

function observationResource({ code, start, answer, quantity }: ClinicalEntry, subject: Subject): Observation {
  return {
    resourceType: "Observation",
    status: "final",
    code: code ? { coding: [code] } : {},
    subject,
    ...(start && { effectiveDateTime: start }),
    ...(answer && { valueCodeableConcept: { text: answer.text, ...(answer.code && { coding: [answer.code] }) } }),
    ...(quantity && { valueQuantity: quantity as NonNullable<Observation["valueQuantity"]> }),
  };
}

function statusConcept(system: string, code: string): CodeableConcept {
  return { coding: [{ system: `${TERMINOLOGY}/${system}`, code }] };
}

/**
 * A concept as it was imported. The text of what has only a code is left out, because nobody wrote it; unless a display
 * that was no name, but another code, would be read in its place.
 */
function conceptOf({ kind, text, code }: ClinicalEntry): CodeableConcept {
  const concept = { coding: code ? [code] : [] };
  const isUnnamed = nameOf(concept) === undefined && text === unnamedOf(kind, concept);
  return { ...(code && { coding: [code] }), ...(!isUnnamed && { text }) };
}
