import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { unnamedOf } from "../../../shared/fhir/concept.ts";
import { importRecord } from "../../../shared/fhir/import-record.ts";
import { toBundle } from "../../../shared/fhir/to-bundle.ts";
import { derived, type Patient } from "../../../shared/patients/patient.ts";
import { isBundle } from "../../helpers/fhir/r4-schema.ts";

const PATIENT: Patient = {
  id: "7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11",
  name: "Pat Example",
  phone_number: "15550100001",
  gender: "female",
  conditions: [],
  medications: [],
  notes: [],
  reminders_enabled: false,
  join_status: "API",
  revision: "r",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.000Z",
};

function recordOf(body: unknown): Partial<Patient> {
  const { person, clinical } = importRecord({ body: body as Record<string, unknown>, type: undefined }, "no");
  const { path: _, ...identity } = person ?? { path: "" };
  return { ...identity, clinical };
}

/** Exports what a record says, and imports it again. */
function roundTrip(patient: Patient): Partial<Patient> {
  const bundle = JSON.parse(JSON.stringify(toBundle(patient)));
  expect(isBundle(bundle) || isBundle.errors).toBe(true);
  return recordOf(bundle);
}

const pick = (...values: (string | undefined)[]) => fc.constantFrom(...values);
const words = fc.oneof(
  pick("Gout", "No known allergies", "NKDA", "Problems not known", "E11.9", "Penicillin, V (oral)", "  x  "),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const concept = fc.record(
  {
    text: words,
    coding: fc.array(
      fc.record(
        {
          system: pick("http://snomed.info/sct", "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips", "a b"),
          code: fc.oneof(pick("716186003", "no-allergy-info", "387458008", " 1", "1  2"), words),
          display: words,
        },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);
const status = pick("active", "resolved", "inactive", "refuted", "unconfirmed", "completed", "nonsense").map(
  (code) => ({
    coding: [{ code }],
  }),
);
const date = pick("2024", "2024-02", "2024-02-03", "2024-02-03T04:05:06+10:00");
const resource = fc.oneof(
  fc.record({
    resourceType: fc.constantFrom("AllergyIntolerance", "Condition"),
    clinicalStatus: status,
    verificationStatus: status,
    criticality: pick("high", "enormous", undefined),
    code: concept,
    onsetDateTime: date,
    reaction: fc.array(fc.record({ manifestation: fc.array(concept) }), { maxLength: 2 }),
  }),
  fc.record({
    resourceType: fc.constantFrom("MedicationStatement", "MedicationRequest"),
    status: pick("active", "stopped", "draft", "unknown", "nonsense"),
    medicationCodeableConcept: concept,
    dosage: fc.array(fc.record({ text: words, timing: fc.record({ code: concept }) }, { requiredKeys: [] })),
    effectivePeriod: fc.record({ start: date, end: date }, { requiredKeys: [] }),
  }),
  fc.record({
    resourceType: fc.constant("Observation"),
    code: fc.constantFrom(
      { coding: [{ system: "http://loinc.org", code: "82810-3" }] },
      { coding: [{ system: "http://loinc.org", code: "98979-8" }] },
    ),
    effectiveDateTime: date,
    valueCodeableConcept: fc.oneof(concept, fc.constant({ text: "Pregnant" })),
    valueQuantity: fc.record({
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
      unit: words,
      comparator: pick("<", "~"),
    }),
  }),
);
const imported = fc.record({
  resourceType: fc.constant("Bundle"),
  entry: fc
    .tuple(
      fc.constant({ resource: { resourceType: "Patient", name: [{ text: "Pat" }], birthDate: "1990-05" } }),
      fc.array(fc.record({ resource })),
    )
    .map(([first, rest]) => [first, ...rest]),
});

describe("a record that is exported and imported again", () => {
  test("is valid against the published schema in between, and the same afterwards, whatever was imported", () => {
    fc.assert(
      fc.property(imported, (body) => {
        const record = recordOf(JSON.parse(JSON.stringify(body)));
        const patient = { ...PATIENT, ...record, ...derived(record) } as Patient;
        const again = roundTrip(patient);
        expect(again.clinical).toEqual(record.clinical);
        expect(derived(again)).toEqual(derived(record));
      }),
      { numRuns: 300 },
    );
  });

  test("has the same name where the display of its code is another code", () => {
    const code = { system: "http://snomed.info/sct", code: "11289", display: "E11.9" };
    const clinical = (["condition", "allergy", "medication"] as const).map((kind) => ({
      kind,
      text: unnamedOf(kind, { coding: [code] }) ?? "",
      code,
    }));
    const again = roundTrip({ ...PATIENT, clinical });
    expect(again.clinical?.map(({ text }) => text)).toEqual(clinical.map(({ text }) => text));
  });

  test("has the fields of one that was not imported", () => {
    const fields = {
      conditions: ["asthma", '{"name":"migraine","symptoms":"aura"}'],
      allergies: "penicillin, latex (hives)",
      medications: [{ name: "albuterol", dosage: "90 mcg", frequency: "as needed" }, { name: "aspirin" }],
    };
    const again = roundTrip({ ...PATIENT, ...fields, gender: " Female " });
    expect(again).toMatchObject({ name: "Pat Example", phone_number: "15550100001", gender: "female" });
    expect(derived(again)).toEqual({ ...fields, conditions: ["asthma", "migraine (aura)"] });
  });

  test("has when a condition ended, and what was answered without a code", () => {
    const clinical: Patient["clinical"] = [
      { kind: "condition", text: "Gout", status: "resolved", end: "2020-01-02" },
      {
        kind: "observation",
        text: "Not pregnant",
        start: "2026-01-02",
        code: { system: "http://loinc.org", code: "82810-3" },
        answer: { text: "no" },
      },
    ];
    expect(roundTrip({ ...PATIENT, clinical }).clinical).toEqual(clinical);
  });

  test("has FHIR's own codes for the status of a condition and of an allergy", () => {
    const clinical: Patient["clinical"] = [
      { kind: "condition", text: "Gout", status: "resolved", verification: "unconfirmed" },
      { kind: "allergy", text: "Egg", status: "inactive", verification: "unconfirmed" },
    ];
    const codes = toBundle({ ...PATIENT, clinical }).entry?.flatMap(({ resource }) => {
      const { clinicalStatus, verificationStatus } = resource as {
        [Name in "clinicalStatus" | "verificationStatus"]?: { coding?: object[] };
      };
      return [clinicalStatus, verificationStatus].flatMap((status) => status?.coding ?? []);
    });
    const system = (name: string) => `http://terminology.hl7.org/CodeSystem/${name}`;
    expect(codes).toEqual([
      { system: system("condition-clinical"), code: "resolved" },
      { system: system("condition-ver-status"), code: "unconfirmed" },
      { system: system("allergyintolerance-clinical"), code: "inactive" },
      { system: system("allergyintolerance-verification"), code: "unconfirmed" },
    ]);
  });

  test("leaves out what FHIR has no place for", () => {
    const { gender: _, ...unnamed } = PATIENT;
    const bundle = toBundle({
      ...unnamed,
      gender: "it's complicated",
      age: 34,
      medications: [{ name: " ", dosage: "5 mg" }],
    });
    expect(bundle.entry).toHaveLength(1);
    expect(bundle.entry?.[0]?.resource).not.toHaveProperty("gender");
  });
});
