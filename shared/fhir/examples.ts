import { CREATED_EXAMPLE, PATIENT_ID_EXAMPLE, RECORD_EXAMPLE } from "../patients/examples.ts";

// What the examples of the OpenAPI document show: the same patient as `patients/examples.ts`, as a Bundle.

const TERMINOLOGY = "http://terminology.hl7.org/CodeSystem";
const active = (system: string) => ({ coding: [{ system: `${TERMINOLOGY}/${system}`, code: "active" }] });
function bundleOf(id: string, contact: object) {
  const subject = { reference: `urn:uuid:${id}` };
  return {
    resourceType: "Bundle" as const,
    type: "collection" as const,
    timestamp: "2026-03-01T09:00:00.000Z",
    entry: [
      {
        fullUrl: subject.reference,
        resource: {
          resourceType: "Patient",
          id,
          name: [{ text: "Maria Lopez" }],
          ...contact,
          gender: "female",
          birthDate: "1991-06-02",
        },
      },
      {
        resource: {
          resourceType: "AllergyIntolerance",
          clinicalStatus: active("allergyintolerance-clinical"),
          code: { text: "penicillin" },
          patient: subject,
        },
      },
      {
        resource: {
          resourceType: "Condition",
          clinicalStatus: active("condition-clinical"),
          code: {
            coding: [{ system: "http://snomed.info/sct", code: "195967001", display: "Asthma" }],
            text: "asthma",
          },
          subject,
        },
      },
    ],
  };
}

export const BUNDLE_EXAMPLE = bundleOf(PATIENT_ID_EXAMPLE, {
  telecom: [{ system: "phone", value: "+15551234567" }],
});

/** Without a phone number, so that the example can be sent again and again: a number would be taken. */
export const IMPORT_EXAMPLE = bundleOf("2d5b8e11-64c7-4f0a-8a3e-91c0f7d2b640", {});

const REPORT_EXAMPLE = {
  clinical: [
    { kind: "allergy", text: "penicillin", status: "active" },
    {
      kind: "condition",
      text: "asthma",
      code: { system: "http://snomed.info/sct", code: "195967001", display: "Asthma" },
      status: "active",
    },
  ],
  ignored: [{ type: "AllergyIntolerance", path: "Bundle.entry[3].resource", reason: "was refuted" }],
  others: { Immunization: 12 },
};

const { phone_number: _, ...importedPatient } = CREATED_EXAMPLE;

export const IMPORTED_EXAMPLE = {
  success: true,
  patient: { ...importedPatient, medications: [] },
  ...REPORT_EXAMPLE,
};

export const REPLACED_EXAMPLE = {
  success: true,
  patient: { ...RECORD_EXAMPLE, medications: [] },
  ...REPORT_EXAMPLE,
  removed: [{ kind: "medication", text: "albuterol", dosage: "90 mcg" }],
};
