import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isBundle } from "../helpers/fhir/r4-schema.ts";
import { setUpService } from "../helpers/service/service.ts";

/** `FHIR_MUTATIONS=10000 npm run jest -- test/long/fhir-mutations --testPathIgnorePatterns=/node_modules/` for more. */
const CASES = Number(process.env.FHIR_MUTATIONS ?? 400);
const SEED = Number(process.env.SEED ?? 20_261_124);

const service = setUpService();

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const subject = { reference: "urn:uuid:p" };
const code = (text: string, ...codes: string[]) => ({
  text,
  coding: codes.map((each) => ({ system: "http://snomed.info/sct", code: each, display: text })),
});
const status = (value: string) => ({ coding: [{ code: value }] });

/** Everything that is read: each type, contained and referenced medicines, observations, extensions and dates. */
const bundleWith = (phone: string): Json => ({
  resourceType: "Bundle",
  type: "document",
  timestamp: "2026-03-01T09:00:00Z",
  entry: [
    {
      resource: {
        resourceType: "Composition",
        subject,
        section: [{ code: status("48765-2"), emptyReason: status("nilknown") }],
      },
    },
    {
      fullUrl: "urn:uuid:p",
      resource: {
        resourceType: "Patient",
        id: "p",
        meta: { lastUpdated: "2026-01-01T00:00:00Z" },
        identifier: [{ system: "urn:clinic", value: "42" }],
        name: [{ use: "official", family: "Example", given: ["Pat"], period: { start: "2020" } }],
        telecom: [{ system: "phone", use: "mobile", rank: 1, value: phone }],
        gender: "female",
        birthDate: "1990-05-07",
        _birthDate: { extension: [{ url: "urn:x", valueString: "x" }] },
      },
    },
    {
      resource: {
        resourceType: "AllergyIntolerance",
        patient: subject,
        clinicalStatus: status("active"),
        verificationStatus: status("unconfirmed"),
        criticality: "high",
        code: code("Penicillin", "764146007"),
        onsetDateTime: "2019-02",
        reaction: [{ substance: code("Amoxicillin"), manifestation: [code("Hives", "247472004")] }],
      },
    },
    {
      resource: {
        resourceType: "Condition",
        subject,
        clinicalStatus: status("resolved"),
        code: code("Gout", "90560007"),
        onsetPeriod: { start: "2018", end: "2019-03-04" },
        abatementString: "in spring",
      },
    },
    {
      resource: {
        resourceType: "MedicationStatement",
        subject,
        status: "active",
        contained: [{ resourceType: "Medication", id: "m", code: code("Warfarin"), ingredient: [] }],
        medicationReference: { reference: "#m" },
        dosage: [{ text: "5 mg", timing: { repeat: { frequency: 1, period: 1, periodUnit: "d" } } }],
      },
    },
    {
      resource: {
        resourceType: "MedicationRequest",
        subject,
        status: "active",
        intent: "order",
        medicationReference: { reference: "Medication/m2" },
        dosageInstruction: [{ doseAndRate: [{ doseQuantity: { value: 10, unit: "mg" } }] }],
      },
    },
    { resource: { resourceType: "Medication", id: "m2", code: code("Metformin", "372567009") } },
    {
      resource: {
        resourceType: "Observation",
        subject,
        status: "final",
        code: { coding: [{ system: "http://loinc.org", code: "98979-8" }] },
        effectiveDateTime: "2026-01-01",
        valueQuantity: { value: 42, unit: "mL/min/1.73 m2" },
      },
    },
  ],
});

const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1e308,
    "",
    " ",
    "0000-00-00",
    "9999-99-99T99:99:99Z",
    "#",
    "urn:uuid:p",
    "Patient/other",
    "\u0000",
    "\ud800",
    "__proto__",
    [],
    {},
    [[]],
    { coding: null },
    { resourceType: "Patient" },
    "x".repeat(20_000),
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

/** One change at the place that `at` chooses among all values of a document. */
interface Change {
  at: number;
  kind: "remove" | "replace" | "repeat" | "rename" | "nest" | "wrap";
  value: Json;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("remove", "replace", "replace", "repeat", "rename", "nest", "wrap"),
  value: hostile,
});

/** Every value of a document with what contains it and under which name, whatever is in it. */
function places(of: Json): { parent: Record<string, Json>; name: string }[] {
  const entries = typeof of === "object" && of !== null ? Object.entries(of) : [];
  return entries.flatMap(([name, value]) => [{ parent: of as Record<string, Json>, name }, ...places(value)]);
}

function changed(document: Json, { at, kind, value }: Change): Json {
  const all = places(document);
  const place = all[at % Math.max(1, all.length)];
  if (!place) {
    return value;
  }
  const { parent, name } = place;
  const before = parent[name] ?? null;
  const nested = () => Array.from({ length: 80 }).reduce<Json>((inner) => [inner], before);
  const becomes: Record<Change["kind"], () => void> = {
    remove: () => (Array.isArray(parent) ? parent.splice(Number(name), 1) : delete parent[name]),
    replace: () => Object.defineProperty(parent, name, { value, enumerable: true, writable: true, configurable: true }),
    repeat: () => Array.isArray(parent) && parent.push(...Array<Json>(50).fill(structuredClone(before))),
    rename: () => {
      delete parent[name];
      parent[`${name}x`] = before;
    },
    nest: () => {
      parent[name] = nested();
    },
    wrap: () => {
      parent[name] = [before, value];
    },
  };
  becomes[kind]();
  return document;
}

/** What is sent: the changed document, or a part of its text. */
const mutation = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  cut: fc.option(fc.nat(2_000), { freq: 20 }),
});

const put = { id: "", clinical: [] as unknown };
const outcomes = { taken: 0, refused: 0 };
let number = 0;

/**
 * Sends a document as a new patient, and as the list of one that exists; each is taken over as reported, or not at all.
 */
async function expectWholeOrNothing({ changes, cut }: { changes: Change[]; cut: number | null }): Promise<void> {
  const phone = String(15_550_000_000 + number++);
  const document = changes.reduce(changed, bundleWith(phone));
  const text = JSON.stringify(document) ?? "null";
  const body = cut === null ? text : text.slice(0, cut);
  const created = await service.call("POST", "/patients/fhir", { body });
  const replaced = await service.call("PUT", `/patients/${put.id}/fhir`, { body });
  expect([201, 400, 409]).toContain(created.status);
  expect([200, 400]).toContain(replaced.status);
  outcomes[created.status === 201 ? "taken" : "refused"]++;
  if (created.status === 201) {
    await expectStored(created.body.patient.id, created.body.clinical);
    await service.call("DELETE", `/patients/${created.body.patient.id}`);
  }
  const found = await service.call("POST", "/patients/search", { body: { phone_number: phone } });
  expect(found.body.patients).toEqual([]);
  put.clinical = replaced.status === 200 ? replaced.body.clinical : put.clinical;
  await expectStored(put.id, put.clinical);
}

async function expectStored(id: string, clinical: unknown): Promise<void> {
  const { body } = await service.call("GET", `/patients/${id}?include=clinical`);
  expect(body.patient.clinical ?? []).toEqual(clinical);
  const exported = await service.call("GET", `/patients/${id}/fhir`);
  expect(isBundle(exported.body) || isBundle.errors).toBe(true);
}

test(
  `${CASES} changed Bundles are each taken over as reported, or not at all`,
  async () => {
    put.id = (await service.newPatient({})).id;
    await fc.assert(fc.asyncProperty(mutation, expectWholeOrNothing), { seed: SEED, numRuns: CASES });
  },
  60_000 + CASES * 1_000,
);
