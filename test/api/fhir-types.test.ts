import { expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const bundleOf = (...resources: object[]) => ({
  resourceType: "Bundle",
  type: "collection",
  entry: resources.map((resource) => ({ resource })),
});
const subject = { reference: "Patient/1" };
const person = { resourceType: "Patient", id: "1", name: [{ text: "Pat Example" }] };
const allergy = (text: string) => ({ resourceType: "AllergyIntolerance", patient: subject, code: { text } });
const condition = (text: string) => ({ resourceType: "Condition", subject, code: { text } });
const taken = (text: string) => ({
  resourceType: "MedicationStatement",
  status: "active",
  subject,
  medicationCodeableConcept: { text },
});

const STORED = bundleOf(person, allergy("Penicillin"), condition("Asthma"), taken("Warfarin"));
const NEW = bundleOf(condition("Gout"), taken("Insulin"));

/** Replaces what was imported, and returns the record's allergies, conditions and medications. */
async function replaced(types?: string) {
  const { id } = (await service.call("POST", "/patients/fhir", { body: STORED })).body.patient;
  const query = types === undefined ? "" : `?types=${types}`;
  const { status, body } = await service.call("PUT", `/patients/${id}/fhir${query}`, { body: NEW });
  expect(status).toBe(200);
  const { allergies, conditions, medications } = body.patient;
  const removed = body.removed.map(({ text }: { text: string }) => text);
  return { allergies, conditions, medications: medications.map(({ name }: { name: string }) => name), removed };
}

test.each([
  [
    undefined,
    { allergies: null, conditions: ["Gout"], medications: ["Insulin"] },
    ["Penicillin", "Asthma", "Warfarin"],
  ],
  ["Condition", { allergies: "Penicillin", conditions: ["Gout"], medications: ["Warfarin", "Insulin"] }, ["Asthma"]],
  [
    "Condition,MedicationStatement",
    { allergies: "Penicillin", conditions: ["Gout"], medications: ["Warfarin", "Insulin"] },
    ["Asthma"],
  ],
  [
    "Condition,MedicationStatement,MedicationRequest,Observation",
    { allergies: "Penicillin", conditions: ["Gout"], medications: ["Insulin"] },
    ["Asthma", "Warfarin"],
  ],
])("a replacement by a bundle that speaks for %s leaves the rest", async (types, record, removed) => {
  const { removed: actual, ...rest } = await replaced(types);
  expect({ ...rest, allergies: rest.allergies ?? null }).toEqual(record);
  expect(actual.sort()).toEqual([...removed].sort());
});

test("a type that is not read is a 400", async () => {
  const { id } = (await service.call("POST", "/patients/fhir", { body: STORED })).body.patient;
  for (const types of ["Immunization", "", "Condition,"]) {
    expect((await service.call("PUT", `/patients/${id}/fhir?types=${types}`, { body: NEW })).status).toBe(400);
  }
});
