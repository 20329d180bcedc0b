import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { findCautions } from "../../../packages/safety/cautions.ts";
import { importRecord } from "../../../shared/fhir/import-record.ts";
import { clinicalFacts } from "../../../shared/patients/clinical-facts.ts";
import { derived, type Patient } from "../../../shared/patients/patient.ts";
import { person } from "../../helpers/fhir/resources.ts";

const DOCUMENT = readFileSync(join(import.meta.dirname, "..", "..", "..", "web", "docs", "guides", "fhir.md"), "utf8");

/** The rows of a table of the document, by the first cell of its header. */
function rowsOf(header: string): string[][] {
  const [, table = ""] = DOCUMENT.split(`\n| ${header} |`);
  const lines = table.slice(0, table.indexOf("\n\n")).split("\n").slice(2);
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const IPS = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips";
const SNOMED = "http://snomed.info/sct";
const LOINC = "http://loinc.org";
const ABSENT = { url: "http://hl7.org/fhir/StructureDefinition/data-absent-reason", valueCode: "masked" };

const subject = { reference: "Patient/p" };
const concept = (text: string) => ({ text });
const coded = (system: string, code: string) => ({ coding: [{ system, code }] });
const allergy = (more: object = {}) => ({
  resourceType: "AllergyIntolerance",
  patient: subject,
  code: concept("Egg"),
  ...more,
});
const condition = (more: object = {}) => ({ resourceType: "Condition", subject, code: concept("Gout"), ...more });
const statement = (more: object = {}) => ({
  resourceType: "MedicationStatement",
  subject,
  status: "active",
  medicationCodeableConcept: concept("Aspirin"),
  ...more,
});
const request = (more: object = {}) => ({
  ...statement(),
  resourceType: "MedicationRequest",
  intent: "order",
  ...more,
});
const observation = (code: string, more: object) => ({
  resourceType: "Observation",
  subject,
  status: "final",
  code: coded(LOINC, code),
  ...more,
});

type Input = { resource: object; fullUrl?: string }[];

const entriesOf = (...resources: object[]): Input => resources.map((resource) => ({ resource }));

function read(entry: object[] | object, type = "collection") {
  const body = Array.isArray(entry) ? { resourceType: "Bundle", type, entry } : { ...entry };
  return importRecord({ body: body as Record<string, unknown>, type: undefined }, "no");
}

/** What a record with a Patient and these resources says. */
const record = (...resources: object[]) => read(entriesOf(person(), ...resources));
const textsIn = (...resources: object[]) => record(...resources).clinical.map(({ text }) => text);
const reasonsIn = (...resources: object[]) =>
  record(...resources).ignored.map(({ path, reason }) => `${path} ${reason}`);
const personIn = (more: object) => read(entriesOf(person(more)));

function factsOf(...resources: object[]): Record<string, unknown> {
  const { clinical } = record(...resources);
  return clinicalFacts({ notes: [], clinical, ...derived({ clinical }) } as unknown as Patient, undefined);
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** A test for each row of the table. */
const CASES: Record<string, () => void> = {
  "a Bundle of any type, or one Patient": () => {
    for (const type of ["document", "transaction", "collection", "searchset", "history", "message"]) {
      expect(read([{ request: { method: "DELETE" } }, ...entriesOf(person(), allergy())], type)).toMatchObject({
        person: { name: "Pat" },
        clinical: [{ text: "Egg" }],
      });
    }
    expect(read(person()).person).toEqual({ path: "Patient", name: "Pat" });
  },
  "several Patients": () => {
    const others = entriesOf(person(), person({ id: "q", name: [{ text: "Other" }] }), allergy());
    expect(() => read(others)).toThrow("no");
    const summary = { resourceType: "Composition", subject: { reference: "Patient/q" } };
    expect(read([...others, ...entriesOf(summary)])).toMatchObject({ person: { name: "Other" }, clinical: [] });
  },
  "a resource about another patient": () => {
    expect(reasonsIn(allergy({ patient: { reference: "Patient/q" } }))).toEqual([
      "Bundle.entry[1].resource is, or is about, another patient",
    ]);
    const fullUrl = "https://a.example/fhir/Patient/p";
    const other = allergy({ patient: { reference: "https://b.example/fhir/Patient/p" } });
    const own = allergy({ patient: { reference: `${fullUrl}/_history/2` } });
    expect(read([{ fullUrl, resource: person() }, ...entriesOf(other, own, allergy())]).clinical).toHaveLength(2);
    const uuid = "urn:uuid:63b319ec-7321-4a70-973b-2cead2b28c28";
    const named = allergy({ patient: { reference: uuid } });
    expect(read([{ fullUrl: uuid, resource: person({ id: undefined }) }, ...entriesOf(named)]).clinical).toHaveLength(
      1,
    );
  },
  "a masked or logical reference to the patient": () => {
    const identifier = { system: "s", value: "1" };
    const patient = person({ identifier: [identifier] });
    const by = (patient: object) => allergy({ patient });
    const other = by({ identifier: { system: "s", value: "2" } });
    expect(read(entriesOf(patient, by({ extension: [ABSENT] }), by({ identifier }), other)).clinical).toHaveLength(2);
  },
  "an earlier version of a resource in the same Bundle": () => {
    const versions = ["2025-01-02", "2025-01-03", "2025-01-01"].map((lastUpdated) =>
      allergy({ id: "a", meta: { lastUpdated }, code: concept(lastUpdated) }),
    );
    expect(textsIn(...versions)).toEqual(["2025-01-03"]);
    expect(reasonsIn(...versions)).toHaveLength(2);
  },
  "Patient.name": () => {
    const nameOf = (...name: object[]) => personIn({ name }).person?.name;
    expect(nameOf({ use: "old", text: "Old" }, { use: "usual", text: "Usual" })).toBe("Usual");
    expect(nameOf({ use: "usual", text: "Usual" }, { use: "official", family: "B", given: ["A", null] })).toBe("A B");
    expect(nameOf({ use: "official", text: "Ended", period: { end: "2001" } }, { text: "Now" })).toBe("Now");
    expect(nameOf({ use: "maiden", text: "Only" })).toBe("Only");
    expect(nameOf({ extension: [ABSENT] })).toBeUndefined();
  },
  "Patient.telecom, one number can be stored": () => {
    const phone = (value: string, more: object = {}) => ({ system: "phone", value, ...more });
    const telecom = [
      phone("555 010 0001", { use: "work" }),
      phone("555 010 0002", { use: "home", rank: 1 }),
      phone("+1 (555) 010-0003", { use: "mobile", rank: 2 }),
      phone("555 010 0004", { use: "mobile", period: { end: "2001" } }),
      { system: "email", value: "555 010 0005" },
    ];
    const { person, ignored } = personIn({ telecom });
    expect(person?.phone_number).toBe("15550100003");
    expect(ignored.map(({ path }) => path)).toEqual(
      [0, 1, 3].map((index) => `Bundle.entry[0].resource.telecom[${index}]`),
    );
    const unusable = [phone("12", { use: "home" }), phone("5550100001", { use: "work" })];
    expect(personIn({ telecom: unusable }).person?.phone_number).toBe("15550100001");
    const ranked = [phone("5550100001", { rank: 2 }), phone("5550100002", { rank: 1 })];
    expect(personIn({ telecom: ranked }).person?.phone_number).toBe("15550100002");
  },
  "Patient.telecom, no number can be stored": () => {
    const { person, ignored } = personIn({ telecom: [{ system: "phone", value: "+49 30 12" }] });
    expect(person).not.toHaveProperty("phone_number");
    expect(ignored).toMatchObject(
      [{ path: "Bundle.entry[0].resource.telecom[0]", reason: /^cannot be stored/ }].map(({ path }) => ({ path })),
    );
  },
  "Patient.gender": () => {
    expect(personIn({ gender: "female" }).person?.gender).toBe("female");
    expect(personIn({ gender: "unknown" }).person).not.toHaveProperty("gender");
  },
  "Patient.birthDate": () => {
    expect(personIn({ birthDate: "1990-05" }).person?.birth_date).toBe("1990-05");
    const future = personIn({ birthDate: "2990-05-07", _birthDate: {} });
    expect(future.person).not.toHaveProperty("birth_date");
    expect(future.ignored).toMatchObject([{ path: "Bundle.entry[0].resource.birthDate" }]);
  },
  "Patient.identifier": () => {
    const identifier = Array.from({ length: 21 }, (_, index) => ({ system: "urn:ehr", value: `${index}` }));
    const { person, ignored } = personIn({ identifier: [...identifier.slice(0, 1), ...identifier] });
    expect(person?.identifiers).toEqual(identifier.slice(0, 20));
    expect(ignored).toMatchObject([{ path: "Bundle.entry[0].resource.identifier[21]" }]);
  },
  "Patient.deceased": () => {
    const path = "Bundle.entry[0].resource.deceased";
    expect(personIn({ deceasedBoolean: true }).ignored).toMatchObject([{ path: `${path}Boolean` }]);
    expect(personIn({ deceasedDateTime: "2020" }).ignored).toMatchObject([{ path: `${path}DateTime` }]);
    expect(personIn({ deceasedBoolean: false }).ignored).toEqual([]);
  },
  "a concept": () => {
    const coding = [
      { system: "a", code: "1", display: "First" },
      { system: "b", code: "2", display: "Chosen", userSelected: true },
    ];
    expect(record(condition({ code: { text: "Text", coding } })).clinical).toMatchObject([
      { text: "Text", code: { system: "b", code: "2" } },
    ]);
    expect(textsIn(condition({ code: { coding } }))).toEqual(["Chosen"]);
    expect(textsIn(condition({ code: coded("http://hl7.org/fhir/sid/icd-10", "E11.9") }))).toEqual([
      "unnamed condition (ICD-10 E11.9)",
    ]);
  },
  "a concept that is absent (`data-absent-reason`)": () => {
    const system = "http://terminology.hl7.org/CodeSystem/data-absent-reason";
    for (const code of [coded(system, "unknown"), { extension: [ABSENT] }]) {
      expect(record(condition({ code })).clinical).toMatchObject([
        { text: "Problems not known", statement: "not-known" },
      ]);
    }
  },
  "a resource that names nothing": () => {
    expect(reasonsIn(condition({ code: undefined }), statement({ medicationCodeableConcept: {} }))).toEqual(
      [1, 2].map((index) => `Bundle.entry[${index}].resource names nothing: it has neither a text nor a code`),
    );
  },
  "no known allergies, medicines or problems, by IPS or SNOMED code or as a text": () => {
    const noAllergies = [
      ...[coded(IPS, "no-known-allergies"), concept("No known allergies")],
      ...["716186003", "160244002"].map((code) => coded(SNOMED, code)),
    ];
    for (const code of noAllergies) {
      expect(record(allergy({ code })).clinical[0]?.statement).toBe("none-known");
      expect(String(factsOf(allergy({ code }), allergy()).allergies)).toBe("Egg");
    }
    const none = [
      condition({ code: coded(SNOMED, "160245001") }),
      condition({ code: coded(IPS, "no-known-problems") }),
      statement({ medicationCodeableConcept: coded(SNOMED, "787481004") }),
      statement({ medicationCodeableConcept: coded(SNOMED, "182849000") }),
      statement({ medicationCodeableConcept: coded(IPS, "no-known-medications") }),
    ];
    expect(record(...none).clinical.map((entry) => entry.statement)).toEqual(none.map(() => "none-known"));
  },
  "no information about them, by code, text or an empty section of the Composition": () => {
    const unknown = [
      allergy({ code: coded(IPS, "no-allergy-info") }),
      condition({ code: { ...coded(IPS, "no-problem-info"), text: "No information about problems" } }),
      statement({ medicationCodeableConcept: coded(IPS, "no-medication-info") }),
      allergy({ code: concept("No information about allergies") }),
    ];
    expect(record(...unknown).clinical.map((entry) => entry.statement)).toEqual(unknown.map(() => "not-known"));
    const section = (code: string, reason: string) => ({ code: coded(LOINC, code), emptyReason: coded("x", reason) });
    const summary = {
      resourceType: "Composition",
      section: [section("48765-2", "unavailable"), section("11450-4", "nilknown")],
    };
    expect(textsIn(summary)).toEqual(["Allergies not known", "No known problems"]);
    expect(textsIn({ ...summary, section: [section("11369-6", "unavailable")] })).toEqual([]); // immunizations
  },
  "no known allergies of a kind": () => {
    const code = { ...coded(SNOMED, "409137002"), text: "No known drug allergy" };
    expect(factsOf(allergy({ code }), allergy()).allergies).toEqual(["No known drug allergy", "Egg"]);
  },
  "AllergyIntolerance without a code, with the substance of a reaction": () => {
    expect(textsIn(allergy({ code: undefined, reaction: [{ substance: concept("Nuts") }] }))).toEqual(["Nuts"]);
  },
  "AllergyIntolerance.criticality and the manifestations of reactions": () => {
    const reaction = [{ manifestation: [concept("Hives"), concept("Rash")] }];
    expect(factsOf(allergy({ criticality: "high", reaction })).allergies).toEqual([
      { name: "Egg", risk: "high", symptoms: ["Hives", "Rash"] },
    ]);
  },
  "verification: refuted, entered in error": () => {
    for (const [code, reason] of [
      ["refuted", "was refuted"],
      ["entered-in-error", "was entered in error"],
    ] as const) {
      const verificationStatus = coded("x", code);
      const both = [allergy({ verificationStatus }), condition({ verificationStatus })];
      expect(textsIn(...both)).toEqual([]);
      expect(reasonsIn(...both)).toEqual([1, 2].map((index) => `Bundle.entry[${index}].resource ${reason}`));
    }
    expect(reasonsIn(statement({ status: "entered-in-error" }))).toHaveLength(1);
  },
  "verification: unconfirmed, provisional, differential": () => {
    for (const code of ["unconfirmed", "provisional", "differential"]) {
      expect(factsOf(allergy({ verificationStatus: coded("x", code) })).allergies).toEqual(["Egg (unconfirmed)"]);
    }
  },
  "clinical status: inactive, remission, resolved": () => {
    for (const code of ["inactive", "remission", "resolved"]) {
      const facts = factsOf(condition({ clinicalStatus: coded("x", code) }));
      expect(facts).toMatchObject({ history: { conditions: [`Gout (${code})`] } });
      expect(facts).not.toHaveProperty("conditions");
    }
    const asthma = condition({ code: concept("Asthma"), clinicalStatus: { text: "Resolved" } });
    expect(findCautions(factsOf(asthma), "Can I take propranolol?", "")).toEqual([]);
  },
  "clinical status: active, recurrence, relapse, none": () => {
    for (const clinicalStatus of [coded("x", "active"), coded("x", "recurrence"), coded("x", "relapse"), undefined]) {
      expect(factsOf(condition({ clinicalStatus })).conditions).toEqual(["Gout"]);
    }
  },
  "Condition that has abated, without a status": () => {
    expect(factsOf(condition({ abatementDateTime: "2020-01-02" })).history).toEqual({
      conditions: ["Gout (inactive, until 2020-01-02)"],
    });
    expect(factsOf(condition({ abatementString: "in childhood" }))).not.toHaveProperty("conditions");
    expect(record(condition({ abatementPeriod: { end: "2019" } })).clinical).toMatchObject([{ end: "2019" }]);
  },
  "MedicationStatement.status: completed, stopped, on hold, not taken, intended": () => {
    for (const status of ["completed", "stopped", "on-hold", "not-taken", "intended"]) {
      expect(factsOf(statement({ status })).history).toEqual({ medications: [`Aspirin (${status})`] });
    }
  },
  "MedicationStatement.status: unknown, or none that FHIR has": () => {
    for (const status of ["unknown", "whatever", undefined]) {
      expect(factsOf(statement({ status })).medications).toEqual([{ name: "Aspirin (status unknown)" }]);
    }
  },
  "MedicationRequest.status: cancelled, draft; intent: proposal, plan, option": () => {
    const statusOf = (more: object) => record(request(more)).clinical[0]?.status;
    expect([statusOf({ status: "cancelled" }), statusOf({ status: "draft" })]).toEqual(["not-taken", "intended"]);
    expect(["proposal", "plan", "option", "order"].map((intent) => statusOf({ intent }))).toEqual([
      "intended",
      "intended",
      "intended",
      "active",
    ]);
  },
  "MedicationRequest.doNotPerform": () => {
    expect(reasonsIn(request({ doNotPerform: true }))).toEqual([
      "Bundle.entry[1].resource asks not to give the medicine",
    ]);
  },
  "a medicine as a concept, contained, or beside in the Bundle": () => {
    const drug = {
      resourceType: "Medication",
      id: "m",
      code: concept("Lipex 10 mg"),
      ingredient: [{ itemCodeableConcept: concept("Simvastatin") }],
    };
    const inside = statement({
      contained: [drug],
      medicationCodeableConcept: undefined,
      medicationReference: { reference: "#m" },
    });
    const by = (reference: string) =>
      statement({ medicationCodeableConcept: undefined, medicationReference: { reference } });
    expect(textsIn(statement(), inside)).toEqual(["Aspirin", "Lipex 10 mg (Simvastatin)"]);
    expect(textsIn({ ...drug, code: undefined }, by("Medication/m"))).toEqual(["Simvastatin"]);
    const [ingredient] = drug.ingredient;
    const withoutEffect = { ...drug, code: undefined, ingredient: [{ ...ingredient, isActive: false }] };
    expect(textsIn(withoutEffect, by("Medication/m"))).toEqual(["Simvastatin (inactive)"]);
    expect(reasonsIn({ ...drug, status: "entered-in-error" }, by("Medication/m"))).toContain(
      "Bundle.entry[2].resource refers to a Medication that was entered in error",
    );
    const other = { ...by("https://a.example/Medication/m"), effectiveDateTime: "2025" };
    expect(textsIn(drug, by("Medication/m"), other)).toEqual(Array(2).fill("Lipex 10 mg (Simvastatin)"));
    const uuid = "urn:uuid:0fc878c1-a158-425f-ba08-ea4366fbb4e1";
    expect(read([...entriesOf(person(), by(uuid)), { fullUrl: uuid, resource: drug }]).ignored).toEqual([]);
  },
  "a reference to a Medication that is not there": () => {
    const by = (display?: string) =>
      statement({ medicationCodeableConcept: undefined, medicationReference: { reference: "Medication/x", display } });
    expect(textsIn(by("Reaptan"))).toEqual(["Reaptan"]);
    expect(reasonsIn(by())).toEqual(["Bundle.entry[1].resource refers to a Medication that is not in the Bundle"]);
  },
  "a Medication that no statement or request refers to": () => {
    expect(reasonsIn({ resourceType: "Medication", id: "m" })).toEqual([
      "Bundle.entry[1].resource is in no statement or request about the patient",
    ]);
  },
  dosage: () => {
    const timing = { repeat: { frequency: 2, period: 1, periodUnit: "d" } };
    const doseAndRate = [{ doseQuantity: { value: 5, unit: "mg" } }];
    expect(record(statement({ dosage: [{ text: "One at night", timing }] })).clinical).toMatchObject([
      { dosage: "One at night" },
    ]);
    expect(
      record(request({ dosageInstruction: [{ timing, doseAndRate, asNeededBoolean: true }] })).clinical,
    ).toMatchObject([{ dosage: "5 mg", frequency: "twice a day, as needed" }]);
    const frequencyOf = (dosage: object) => record(statement({ dosage: [dosage] })).clinical[0]?.frequency;
    expect(frequencyOf({ timing: { repeat: { period: 2, periodUnit: "wk" } } })).toBe("once every 2 weeks");
    expect(frequencyOf({ asNeededBoolean: true })).toBe("as needed");
  },
  "Observation: pregnancy status (LOINC 82810-3)": () => {
    const pregnancy = (days: number, valueCodeableConcept: object) =>
      observation("82810-3", { effectiveDateTime: daysAgo(days), valueCodeableConcept });
    const pregnant = pregnancy(100, coded(SNOMED, "77386006"));
    const cautions = (...resources: object[]) => findCautions(factsOf(...resources), "Can I take ibuprofen?", "");
    expect(cautions(pregnant)).toMatchObject([{ condition: "pregnancy" }]);
    const said = { effectivePeriod: { start: daysAgo(1) }, valueBoolean: false };
    expect(cautions(pregnant, observation("82810-3", said))).toEqual([]);
    expect(reasonsIn({ ...pregnant, status: "cancelled" })).toEqual(["Bundle.entry[1].resource was cancelled"]);
    expect(cautions(pregnancy(310, coded(SNOMED, "77386006")))).toEqual([]);
    expect(cautions(pregnant, pregnancy(10, coded(LOINC, "LA26683-5")))).toEqual([]);
    expect(reasonsIn(pregnant, pregnancy(10, concept("No")), pregnancy(1, concept("Unknown")))).toEqual([
      "Bundle.entry[1].resource is older than another one",
      "Bundle.entry[3].resource has no value that says anything",
    ]);
  },
  "Observation: eGFR (LOINC 33914-3, 62238-1, 98979-8 and other formulas)": () => {
    const eGFR = (code: string, value: number, more: object = {}) =>
      observation(code, {
        effectiveDateTime: "2025-02-03",
        valueQuantity: { value, code: "mL/min/{1.73_m2}" },
        ...more,
      });
    expect(factsOf(eGFR("98979-8", 42.5)).conditions).toEqual(["eGFR 42.5 mL/min/1.73 m² in 2025"]);
    const cautions = (...resources: object[]) =>
      findCautions(factsOf(...resources), "Can I take ibuprofen?", "").length;
    expect([cautions(eGFR("33914-3", 42)), cautions(eGFR("62238-1", 90))]).toEqual([1, 0]);
    expect(reasonsIn(eGFR("33914-3", 42, { valueQuantity: undefined }))).toEqual([
      "Bundle.entry[1].resource has no value that says anything",
    ]);
    expect(cautions(eGFR("33914-3", 60, { valueQuantity: { value: 60, comparator: "<" } }))).toBe(1);
    expect(cautions(eGFR("33914-3", 42), eGFR("88294-4", 95, { effectiveDateTime: "2025-03-01T10:00:00Z" }))).toBe(0);
  },
  "any other type, and other observations": () => {
    const pulse = observation("8867-4", { valueQuantity: { value: 60 } });
    expect(record(pulse, pulse, { resourceType: "Immunization", status: 7 })).toMatchObject({
      ignored: [],
      others: { Observation: 2, Immunization: 1 },
    });
  },
};

test.each(rowsOf("what").map(([what = ""]) => what))("%s", (what) => {
  expect(CASES[what]).toBeDefined();
  CASES[what]?.();
});

test("each case is a row of the document", () => {
  expect(Object.keys(CASES)).toEqual(rowsOf("what").map(([what]) => what));
});

describe("what a prompt says about a status", () => {
  const VERIFICATIONS = ["unconfirmed", "provisional", "differential", "confirmed", "refuted", "entered-in-error"];
  const statusOf = (code: string) => ({
    [VERIFICATIONS.includes(code) ? "verificationStatus" : "clinicalStatus"]: coded("x", code),
  });
  const resource = {
    condition: (code: string) => condition(statusOf(code)),
    allergy: (code: string) => allergy({ code: concept("Gout"), ...statusOf(code) }),
    medicine: (code: string) => statement({ status: code, medicationCodeableConcept: concept("Gout") }),
  };
  const rows = rowsOf("status").flatMap(([code = "", ...cells]) =>
    Object.entries(resource).map(([kind, of], index) => [kind, code, cells[index] ?? "", of(code)] as const),
  );

  test.each(rows.filter(([, , expected]) => expected !== ""))("of a %s: %s", (kind, _, expected, resource) => {
    const facts = factsOf(resource) as Record<string, unknown> & { history?: Record<string, unknown> };
    const field = { condition: "conditions", allergy: "allergies", medicine: "medications" }[kind as "condition"];
    const textOf = (value: unknown) => String([value].flat().map((each) => (each as { name?: string })?.name ?? each));
    const current = facts[field] === "not known" ? "" : textOf(facts[field] ?? "");
    const history = facts.history?.[field];
    expect(current || (history ? `history: ${textOf(history)}` : "nothing")).toBe(expected);
  });
});
