import { beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../helpers/eventually.ts";
import { addClients } from "../helpers/service/clients.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const EHR = "urn:oid:1.2.36.146.595.217.0.1";
const ANN = { resourceType: "Patient", name: [{ text: "Ann  Example" }], birthDate: "1990-05-07" };

let number = 0;
/** An identifier that no other test has. */
let own: { system: string; value: string };
beforeEach(() => {
  own = { system: EHR, value: `MRN ${++number}` };
});

const search = (body: object, key?: string) =>
  service.call("POST", "/patients/search", { body, ...(key !== undefined && { key }) });
const idsOf = async (body: object, key?: string): Promise<string[]> =>
  (await search(body, key)).body.patients.map(({ id }: { id: string }) => id);
/** The index lags. */
const found = (body: object, count: number) =>
  eventually(
    () => idsOf(body),
    (ids) => ids.length === count,
  );
const imported = async (patient: object): Promise<string> =>
  (await service.call("POST", "/patients/fhir", { body: patient })).body.patient.id;
const patch = (id: string, body: object) => service.call("PATCH", `/patients/${id}`, { body });

describe("POST /patients/search by identifier", () => {
  test("finds a patient who was imported without a number that can be stored, and nobody by a part or another system", async () => {
    const id = await imported({ ...ANN, identifier: [own], telecom: [{ system: "phone", value: "12" }] });
    expect(await found({ identifier: own }, 1)).toEqual([id]);
    for (const other of [
      { value: own.value },
      { ...own, system: `${EHR}.1` },
      { ...own, value: own.value.toLowerCase() },
      { ...own, value: own.value.slice(0, -1) },
    ]) {
      expect(await idsOf({ identifier: other })).toEqual([]);
    }
    const { body } = await service.call("GET", `/patients/${id}?include=clinical`);
    expect(body.patient.identifiers).toEqual([own]);
    expect((await service.call("GET", `/patients/${id}`)).body.patient).not.toHaveProperty("identifiers");
    const { entry } = (await service.call("GET", `/patients/${id}/fhir`)).body;
    expect(entry[0].resource.identifier).toEqual([own]);
    expect((await service.call("GET", `/patients/${id}/export`)).body.patient.identifiers).toEqual([own]);
  });

  test("finds nobody of another tenant", async () => {
    await addClients(service, { elsewhere: { keys: ["key-of-elsewhere"] } });
    await imported({ ...ANN, identifier: [own] });
    await found({ identifier: own }, 1);
    expect(await idsOf({ identifier: own }, "key-of-elsewhere")).toEqual([]);
  });

  test("follows a replacement that has identifiers, and keeps them in one that has none", async () => {
    const id = await imported({ ...ANN, identifier: [own] });
    const other = { ...own, value: `${own.value} new` };
    await service.call("PUT", `/patients/${id}/fhir`, { body: { ...ANN, identifier: [other] } });
    expect(await found({ identifier: other }, 1)).toEqual([id]);
    expect(await idsOf({ identifier: own })).toEqual([]);
    await service.call("PUT", `/patients/${id}/fhir`, { body: ANN });
    await patch(id, { age: 30 });
    expect(await idsOf({ identifier: other })).toEqual([id]);
  });

  test("finds both of two patients who share one, and neither once they are erased", async () => {
    const [one, two] = [await imported({ ...ANN, identifier: [own] }), await imported({ ...ANN, identifier: [own] })];
    expect((await found({ identifier: own }, 2)).sort()).toEqual([one, two].sort());
    await service.call("DELETE", `/patients/${one}`);
    expect(await idsOf({ identifier: own })).toEqual([two]);
    await service.call("DELETE", `/patients/${two}`);
    expect(await idsOf({ identifier: own })).toEqual([]);
  });

  test("more than 20 identifiers are named as ignored", async () => {
    const identifier = Array.from({ length: 22 }, (_, index) => ({ system: EHR, value: `${own.value}-${index}` }));
    const { body } = await service.call("POST", "/patients/fhir", { body: { ...ANN, identifier } });
    expect(body.ignored.map(({ path }: { path: string }) => path)).toEqual([
      "Patient.identifier[20]",
      "Patient.identifier[21]",
    ]);
    expect(await found({ identifier: identifier[19] }, 1)).toEqual([body.patient.id]);
  });
});

describe("POST /patients/search by name and date of birth", () => {
  test("finds a patient in any case and spacing, and follows a change of either", async () => {
    const name = `Zoë  Example ${number}`;
    const created = await service.call("POST", "/patients", { body: { name, birth_date: "1980-01-02" } });
    const { id } = created.body.patient;
    expect(await found({ name: ` ZOË example ${number} `, birth_date: "1980-01-02" }, 1)).toEqual([id]);
    expect(await idsOf({ name, birth_date: "1980" })).toEqual([]);
    expect(await idsOf({ name: "Zoë Example", birth_date: "1980-01-02" })).toEqual([]);
    await patch(id, { birth_date: "1981-01-02" });
    expect(await found({ name, birth_date: "1981-01-02" }, 1)).toEqual([id]);
    expect(await idsOf({ name, birth_date: "1980-01-02" })).toEqual([]);
    await patch(id, { birth_date: null });
    expect(await idsOf({ name, birth_date: "1981-01-02" })).toEqual([]);
  });

  test("writes an audit line for each patient that it finds", async () => {
    const name = `Audited ${number}`;
    const { id } = (await service.call("POST", "/patients", { body: { name, birth_date: "1980-01-02" } })).body.patient;
    await found({ name, birth_date: "1980-01-02" }, 1);
    const { headers } = await search({ name, birth_date: "1980-01-02" });
    const lines = await service.linesOf(headers.get("x-request-id") ?? "");
    expect(lines.filter(({ event }) => event === "audit")).toMatchObject([{ patientId: id }]);
    expect(JSON.stringify(lines)).not.toContain("Audited");
  });
});

test.each([
  {},
  { name: "Ann" },
  { birth_date: "1990" },
  { phone_number: "5550100001", identifier: { value: "1" } },
  { identifier: { value: "1" }, name: "Ann", birth_date: "1990" },
])("a search for nothing, or for two things, is a 400: %j", async (body) => {
  const { status, body: failure } = await search(body);
  expect(status).toBe(400);
  expect(failure.details).toEqual([
    { path: "phone_number", message: "is required, or identifier, or name and birth_date; and only one of these" },
  ]);
});
