import { beforeAll, describe, expect, test } from "@jest/globals";
import { FHIR_BYTES } from "../../shared/fhir/fhir-body.ts";
import { MAX_ENTRIES } from "../../shared/fhir/read-bundle.ts";
import { PATIENT_GONE } from "../../shared/patients/patient.ts";
import { bundle } from "../helpers/fhir/resources.ts";
import { addClients } from "../helpers/service/clients.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
beforeAll(() => addClients(service, { alder: { keys: ["key-of-alder"] } }));

const FHIR = "application/fhir+json";
const NUMBER = { system: "phone", value: "+1 555 010 2001" };
const status = (code: string) => ({ coding: [{ code }] });
const allergy = (text: string, more: object = {}) => ({
  resourceType: "AllergyIntolerance",
  code: { text },
  patient: { reference: "Patient/p" },
  ...more,
});
const person = (more: object = {}) => ({ resourceType: "Patient", id: "p", name: [{ text: "Pat Example" }], ...more });

const put = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call("PUT", `/patients/${id}/fhir`, { body, headers });
const post = (body: unknown, headers: Record<string, string> = {}) =>
  service.call("POST", "/patients/fhir", { body, headers });
const imported = async (...resources: object[]): Promise<string> =>
  (await post(bundle(person(), ...resources))).body.patient.id;
const responseTo = async (patientId: string, message: string): Promise<string> =>
  (await service.chat({ message, patientId })).body.response;

describe("a patient imported with an allergy to penicillin", () => {
  test.each<[string, object, boolean]>([
    ["that is active", {}, true],
    ["that nobody has confirmed", { verificationStatus: status("unconfirmed") }, true],
    ["that was refuted", { verificationStatus: status("refuted") }, false],
    ["that was entered in error", { verificationStatus: status("entered-in-error") }, false],
    ["that has resolved", { clinicalStatus: status("resolved") }, false],
  ])("%s gets a caution about amoxicillin or not", async (_, more, isWarned) => {
    const id = await imported(allergy("Penicillin", more));
    const response = await responseTo(id, "Can I take amoxicillin?");
    expect(response.includes("allergy to penicillin") || response.includes("Penicillin")).toBe(isWarned);
    const sent = service.recordSent();
    expect(JSON.stringify(sent.allergies).includes("Penicillin")).toBe(isWarned);
    expect(sent.allergies === "not known").toBe(!isWarned);
  });
});

test("a medicine that is only a code has no name, and nobody is told that it was checked", async () => {
  const coding = [{ system: "http://www.nlm.nih.gov/research/umls/rxnorm", code: "11289" }];
  const medicine = { resourceType: "MedicationStatement", status: "active", medicationCodeableConcept: { coding } };
  const id = await imported(medicine);
  const response = await responseTo(id, "Can I take ibuprofen?");
  expect(response).toContain("could not check");
  expect(service.recordSent()).toMatchObject({
    medications: [{ name: "unnamed medicine (RxNorm 11289)" }],
    not_checked: expect.stringContaining("cannot be checked"),
  });
  expect(await responseTo(id, "What time is it?")).not.toContain("could not check");
  const other = await imported({ ...medicine, medicationCodeableConcept: { coding, text: "Warfarin" } });
  expect(await responseTo(other, "Can I take ibuprofen?")).not.toContain("could not check");
  expect(service.recordSent()).not.toHaveProperty("not_checked");
});

test("what ended is history, a pregnancy ends by itself, and what was deleted does not come back", async () => {
  const pregnancy = { resourceType: "Condition", code: { text: "Pregnancy" }, recordedDate: "1968-05-01" };
  const ended = {
    resourceType: "MedicationStatement",
    status: "active",
    medicationCodeableConcept: { text: "Warfarin" },
    effectivePeriod: { end: "2019-03-01" },
  };
  const resolved = { coding: [{ system: "http://snomed.info/sct", code: "413322009" }] };
  const asthma = { resourceType: "Condition", code: { text: "Asthma" }, clinicalStatus: resolved };
  const { body } = await post({
    resourceType: "Bundle",
    type: "history",
    link: [{ relation: "next", url: "urn:next" }],
    entry: [
      {
        request: { method: "DELETE", url: "AllergyIntolerance/a" },
        response: { lastModified: "2026-02-01T00:00:00Z" },
      },
      {
        resource: allergy("Latex", {
          id: "a",
          meta: { lastUpdated: "2026-01-01T00:00:00Z", tag: [{ code: "SUBSETTED" }] },
        }),
      },
      ...[person(), pregnancy, ended, asthma].map((resource) => ({ resource })),
    ],
  });
  await responseTo(body.patient.id, "Hello");
  expect(service.recordSent()).toMatchObject({
    allergies: "not known",
    history: {
      conditions: ["Pregnancy (1968-05-01)", "Asthma (resolved)"],
      medications: ["Warfarin (until 2019-03-01)"],
    },
  });
  expect(service.recordSent()).not.toHaveProperty("conditions");
  expect(body.ignored).toMatchObject([
    { path: "Bundle.link" },
    { path: "Bundle.entry[1].resource", reason: expect.stringContaining("deleted later") },
  ]);
});

test("an order that was sent twice is one", async () => {
  const order = {
    resourceType: "MedicationRequest",
    status: "active",
    intent: "order",
    authoredOn: "2026-01-02",
    medicationCodeableConcept: { text: "Aspirin" },
  };
  const { body } = await post(bundle(person(), { ...order, id: "1" }, { ...order, id: "2" }));
  expect(body.patient.medications).toEqual([{ name: "Aspirin" }]);
  expect(body.ignored).toMatchObject([
    { path: "Bundle.entry[2].resource", reason: "says the same as Bundle.entry[1].resource" },
  ]);
});

test.each(["no-allergy-info", undefined])(
  "a patient whose allergies are unknown (%s) has none denied",
  async (code) => {
    const system = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips";
    const id = await imported(...(code ? [allergy("", { code: { coding: [{ system, code }] } })] : []));
    await responseTo(id, "Can I take amoxicillin?");
    expect(String(service.recordSent().allergies)).toMatch(/not known/);
    const { allergies } = (await service.call("GET", `/patients/${id}`)).body.patient;
    expect([null, "Allergies not known"]).toContain(allergies);
  },
);

describe("POST /patients/fhir", () => {
  test("returns the patient as POST /patients does, and what was taken over and what was not", async () => {
    const {
      status: code,
      body,
      headers,
    } = await post(
      bundle(
        person({ telecom: [NUMBER, { system: "phone", value: "123" }], birthDate: "1990-05-07", gender: "female" }),
        allergy("Latex"),
        allergy("Egg", { verificationStatus: status("refuted") }),
        { resourceType: "Immunization" },
        { resourceType: "Immunization" },
      ),
      { "content-type": FHIR },
    );
    expect([code, headers.get("content-type"), headers.get("etag")]).toEqual([
      201,
      "application/json; charset=utf-8",
      expect.stringMatching(/^"/),
    ]);
    expect(body).toMatchObject({
      success: true,
      patient: { name: "Pat Example", phone_number: "15550102001", allergies: "Latex", join_status: "API" },
      clinical: [{ kind: "allergy", text: "Latex" }],
      others: { Immunization: 2 },
    });
    expect(body.ignored).toEqual([
      { type: "AllergyIntolerance", path: "Bundle.entry[2].resource", reason: "was refuted" },
      {
        type: "Patient",
        path: "Bundle.entry[0].resource.telecom[1]",
        reason: expect.stringMatching(/^cannot be stored/),
      },
    ]);
    const plain = (await service.call("GET", `/patients/${body.patient.id}`)).body.patient;
    expect(plain).toMatchObject({ gender: "female", age: expect.any(Number) });
    expect(plain).not.toHaveProperty("clinical");
    const whole = (await service.call("GET", `/patients/${body.patient.id}?include=clinical`)).body.patient;
    expect(whole).toEqual({ ...plain, birth_date: "1990-05-07", identifiers: [], clinical: body.clinical });
  });

  test("is a 409 for a number that another patient has, also as an OperationOutcome", async () => {
    const first = (await post(person({ telecom: [{ system: "phone", value: "5550102002" }] }))).body.patient;
    const again = person({ name: [{ text: "Another" }], telecom: [{ system: "phone", value: "(555) 010-2002" }] });
    const { id, name, phone_number } = first;
    const taken = await post(again);
    expect([taken.status, taken.body]).toEqual([
      409,
      { error: "Patient with this phone number already exists", patient: { id, name, phone_number } },
    ]);
    const outcome = await post(again, { accept: FHIR });
    expect([outcome.status, outcome.headers.get("content-type")]).toEqual([409, FHIR]);
    expect(outcome.body).toEqual({
      resourceType: "OperationOutcome",
      issue: [
        { severity: "error", code: "duplicate", details: { text: taken.body.error }, diagnostics: `Patient/${id}` },
      ],
    });
  });

  test("repeated with its Idempotency-Key returns the same response; with another body, a 422", async () => {
    const body = bundle(person(), allergy("Latex"), allergy("Egg", { verificationStatus: status("refuted") }));
    const key = { "idempotency-key": "import-1" };
    const [first, second] = [await post(body, key), await post(body, key)];
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect((await post(bundle(person()), key)).status).toBe(422);
  });

  test.each<[string, unknown, string, string]>([
    ["no Patient", bundle(allergy("Latex")), "Bundle.entry", "must contain a Patient"],
    ["an entry that is none", { resourceType: "Bundle", entry: [5] }, "Bundle.entry[0].resource", "must be a resource"],
    ["nobody's name", bundle(person({ name: [] })), "Bundle.entry[0].resource", "must have a name"],
    ["two patients", bundle(person(), person({ id: "q" })), "Bundle.entry[0].resource", "one patient at a time"],
    [
      "an element of another type",
      bundle(person(), allergy("x", { code: { coding: [{ code: 1 }] } })),
      "Bundle.entry[1].resource.code.coding[0].code",
      "must be a string",
    ],
    [
      "STU3",
      bundle(person(), allergy("x", { clinicalStatus: "active" })),
      "Bundle.entry[1].resource",
      "is a resource of FHIR STU3; only R4 is supported",
    ],
    [
      "too many entries",
      { resourceType: "Bundle", entry: new Array(MAX_ENTRIES + 1).fill({}) },
      "Bundle.entry",
      "at most",
    ],
    [
      "too many levels",
      JSON.stringify(person()).replace("}", `,"x":${"[".repeat(1e5)}${"]".repeat(1e5)}}`),
      "",
      "must not be nested",
    ],
  ])("with %s is a 400 that names the FHIR path", async (_, body, path, message) => {
    const reply = await post(body);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ success: false, error: "Failed to import patient" });
    expect(reply.body.details[0]).toEqual({ path, message: expect.stringContaining(message) });
    const outcome = await post(body, { accept: FHIR });
    expect(outcome.body.issue[0]).toMatchObject({
      severity: "error",
      code: "invalid",
      diagnostics: reply.body.details[0].message,
    });
    expect(outcome.body.issue[0].expression).toEqual(path ? [path] : undefined);
  });

  test.each<[string, object, object, string]>([
    [
      "a time without a zone",
      person({ birthDate: "1990-05-07T00:00:00" }),
      { onsetDateTime: "2014-03-01T10:00:00" },
      "onsetDateTime",
    ],
    ["a date that is none", person({ birthDate: "7 May 1990" }), { onsetDateTime: "last year" }, "onsetDateTime"],
    ["an empty date", person({ birthDate: "" }), { onsetDateTime: "" }, "onsetDateTime"],
    ["a number as a text", person(), { criticality: 5 }, "criticality"],
    ["an object as a text", person({ gender: {} }), { onsetDateTime: ["2014"] }, "onsetDateTime"],
    ["a text as a list", person({ telecom: "5550100001" }), { reaction: "Hives" }, "reaction"],
  ])("with %s takes over the rest, and names the value", async (_, patient, more, element) => {
    const { status: code, body } = await post(bundle(patient, allergy("Latex", more)));
    expect([code, body.clinical?.map(({ text }: { text: string }) => text)]).toEqual([201, ["Latex"]]);
    expect(body.ignored).toContainEqual(
      expect.objectContaining({ type: "AllergyIntolerance", path: `Bundle.entry[1].resource.${element}` }),
    );
  });

  test("with a patient's id as a number finds what refers to it", async () => {
    const of = { patient: { reference: "Patient/7" } };
    const { body } = await post(bundle(person({ id: 7 }), allergy("Latex", of)));
    expect(body).toMatchObject({ patient: { allergies: "Latex" }, ignored: [{ path: "Bundle.entry[0].resource.id" }] });
  });

  test.each<[string, object, object]>([
    ["a Patient", { modifierExtension: [{ url: "urn:x", valueBoolean: true }] }, {}],
    ["a Bundle", {}, { implicitRules: "urn:rules" }],
  ])("with %s whose meaning may be another is a 400", async (_, more, ofBundle) => {
    expect((await post({ ...bundle(person(more), allergy("Latex")), ...ofBundle })).status).toBe(400);
  });

  test("of another version of FHIR by its media type is a 400", async () => {
    const { body } = await post(person(), { "content-type": `${FHIR}; fhirVersion=5.0` });
    expect(body.details).toEqual([{ path: "Content-Type", message: "is of FHIR 5.0; only R4 is supported" }]);
    expect((await post(person(), { "content-type": `${FHIR}; fhirVersion=4.0` })).status).toBe(201);
  });

  test("accepts 5 MB, and other endpoints do not", async () => {
    const filled = (bytes: number) => {
      const filling = { resourceType: "Basic", text: "" };
      const text = "x".repeat(bytes - JSON.stringify(bundle(person(), filling)).length);
      return bundle(person(), { ...filling, text });
    };
    expect((await post(filled(FHIR_BYTES))).status).toBe(201);
    const over = await post(filled(FHIR_BYTES + 1));
    expect([over.status, over.body.error]).toEqual([413, "Request body must not be larger than 5 MB"]);
    expect((await service.call("POST", "/patients", { body: { name: "x", filling: "x".repeat(3e5) } })).status).toBe(
      413,
    );
  });

  test("with what does not fit into a record is a 400, and nothing is stored", async () => {
    const many = Array.from({ length: 4_000 }, (_, index) =>
      allergy(`Something long enough number ${index}`.repeat(4)),
    );
    const number = "5550102009";
    const reply = await post(bundle(person({ telecom: [{ system: "phone", value: number }] }), ...many));
    expect([reply.status, reply.body.details]).toEqual([
      400,
      [{ path: "", message: "a record must not be larger than 350 KB" }],
    ]);
    const found = await service.call("POST", "/patients/search", { body: { phone_number: number } });
    expect(found.body.patients).toEqual([]);
  });

  test("leaves an audit line and no content in the log", async () => {
    const headers = { "x-request-id": "fhir-audit" };
    const { body } = await service.call("POST", "/patients/fhir", { body: person(), headers });
    const lines = await service.linesOf("fhir-audit");
    expect(lines).toContainEqual(
      expect.objectContaining({ event: "audit", operation: "import-patient", patientId: body.patient.id }),
    );
    expect(JSON.stringify(lines)).not.toContain("Pat Example");
  });
});

describe("PUT /patients/{id}/fhir", () => {
  test("replaces what was there, whoever wrote it, and names what is gone; the rest stays", async () => {
    const { id } = await service.newPatient({ name: "Own Name", allergies: "latex", conditions: ["asthma"] });
    const { status: code, body } = await put(
      id,
      bundle(allergy("Egg"), { resourceType: "Condition", code: { text: "Asthma" } }),
    );
    expect(code).toBe(200);
    expect(body.patient).toMatchObject({ name: "Own Name", conditions: ["Asthma"], allergies: "Egg", age: 40 });
    expect(body.removed).toEqual([{ kind: "allergy", text: "latex" }]);
    const again = await put(id, bundle());
    expect(again.body.removed.map(({ text }: { text: string }) => text).sort()).toEqual(["Asthma", "Egg"]);
    await responseTo(id, "Can I take amoxicillin?");
    expect(service.recordSent().allergies).toBe("not known");
  });

  test("names a condition that is gone, also one that was an object", async () => {
    const { id } = await service.newPatient({ conditions: [JSON.stringify({ name: "migraine", symptoms: "aura" })] });
    const { body } = await put(id, bundle(person(), allergy("Latex")));
    expect(body.removed).toEqual([{ kind: "condition", text: "migraine (aura)" }]);
  });

  test("takes gender and date of birth of the Patient, not name and number", async () => {
    const { id } = await service.newPatient({ name: "Own Name" });
    const { body } = await put(id, person({ gender: "other", birthDate: "1950", telecom: [NUMBER] }));
    expect(body.patient).toMatchObject({ name: "Own Name", gender: "other" });
    expect(body.patient.age).toBeGreaterThan(70);
  });

  test("leaves out what is about someone else", async () => {
    const id = await imported();
    const other = allergy("Egg", { patient: { reference: "Patient/q" } });
    const { body } = await put(id, bundle(allergy("Latex"), other));
    expect(body.clinical.map(({ text }: { text: string }) => text)).toEqual(["Latex"]);
    expect(body.ignored).toEqual([
      { type: "AllergyIntolerance", path: "Bundle.entry[1].resource", reason: "is, or is about, another patient" },
    ]);
  });

  test("honors If-Match, and is a 404 for another tenant", async () => {
    const created = await post(bundle(person(), allergy("Latex")));
    const { id } = created.body.patient;
    const tag = { "if-match": created.headers.get("etag") ?? "" };
    expect((await put(id, bundle(), tag)).status).toBe(200);
    expect((await put(id, bundle(), tag)).status).toBe(412);
    for (const method of ["PUT", "GET"]) {
      const body = method === "PUT" ? { body: bundle() } : {};
      const foreign = await service.call(method, `/patients/${id}/fhir`, { ...body, key: "key-of-alder" });
      expect([foreign.status, foreign.body]).toEqual([404, { error: PATIENT_GONE.error }]);
    }
  });

  test("and PATCH at the same time lose nothing", async () => {
    const id = await imported(allergy("Latex"));
    const patches = Array.from({ length: 5 }, (_, index) => ({ notes: [{ index }] }));
    await Promise.all([
      ...patches.map((body) => service.call("PATCH", `/patients/${id}`, { body })),
      put(id, bundle(allergy("Egg"))),
    ]);
    const { patient } = (await service.call("GET", `/patients/${id}?include=clinical`)).body;
    expect(patient.notes).toHaveLength(1);
    expect(patient.clinical).toEqual([{ kind: "allergy", text: "Egg" }]);
  });
});

test("a PATCH of allergies changes the list, and keeps what it still shows and the history", async () => {
  const id = await imported(
    allergy("Latex", { criticality: "high" }),
    allergy("Egg"),
    allergy("Milk", { clinicalStatus: status("resolved") }),
  );
  const { body } = await service.call("PATCH", `/patients/${id}`, { body: { allergies: "Latex, penicillin" } });
  expect(body.patient.allergies).toBe("Latex, penicillin");
  const { patient } = (await service.call("GET", `/patients/${id}?include=clinical`)).body;
  expect(patient.clinical).toEqual([
    { kind: "allergy", text: "Latex", criticality: "high" },
    { kind: "allergy", text: "Milk", status: "resolved" },
    { kind: "allergy", text: "penicillin" },
  ]);
});

test("a PATCH that removes the date of birth removes the age that follows from it", async () => {
  const { id } = (await post(person({ birthDate: "1990" }))).body.patient;
  const { body } = await service.call("PATCH", `/patients/${id}`, { body: { birth_date: null } });
  expect(body.patient.age).toBeNull();
});

test("GET /patients/{id}/fhir is a 304 to whoever has it", async () => {
  const id = await imported(allergy("Latex"));
  const { headers } = await service.call("GET", `/patients/${id}/fhir`);
  const tag = { "if-none-match": headers.get("etag") ?? "" };
  expect((await service.call("GET", `/patients/${id}/fhir`, { headers: tag })).status).toBe(304);
});

test("an export has the list and the date of birth, and POST /patients accepts it", async () => {
  const { body } = await post(bundle(person({ birthDate: "1990" }), allergy("Latex")));
  const { patient } = (await service.call("GET", `/patients/${body.patient.id}/export`)).body;
  expect(patient).toMatchObject({ birth_date: "1990", clinical: body.clinical, allergies: "Latex" });
  expect((await service.call("POST", "/patients", { body: patient })).status).toBe(201);
});
