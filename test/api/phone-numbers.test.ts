import { describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const create = (name: string, phone_number: string) =>
  service.call("POST", "/patients", { body: { name, phone_number } });

/** The patient of a thread that is opened by a number; null if it is nobody's. */
async function linkedBy(phone: string): Promise<string | null> {
  return (await service.thread(await service.newThread({ phone }))).patientId;
}

const search = async (phone_number: string): Promise<string[]> =>
  (await service.call("POST", "/patients/search", { body: { phone_number } })).body.patients.map(
    ({ id }: { id: string }) => id,
  );

/** Whether a chat by a number is about this patient: the record is in the prompt. */
async function chatIsAbout(phone: string, name: string): Promise<boolean> {
  await service.chat({ message: "hello", phone });
  return service.recordSent()?.name === name;
}

const DANISH = "+45 34 56 78 90";
const AMERICAN = "453-456-7890";

describe("a Dane and an American whose numbers have the same ten digits", () => {
  test("have a record each, and are found by their own numbers only", async () => {
    const dane = await create("Dane Example", DANISH);
    const american = await create("American Example", AMERICAN);
    expect([dane.status, american.status]).toEqual([201, 201]);
    expect([dane.body.patient.phone_number, american.body.patient.phone_number]).toEqual(["4534567890", "14534567890"]);

    for (const phone of [DANISH, "＋４５ ３４５６７８９０", "tel:+4534567890", "+45 34567890 x12"]) {
      expect([await linkedBy(phone), await search(phone)]).toEqual([dane.body.patient.id, [dane.body.patient.id]]);
      expect(await chatIsAbout(phone, "Dane Example")).toBe(true);
    }
    for (const phone of [AMERICAN, "+1 453 456 7890", "4534567890", "٤٥٣٤٥٦٧٨٩٠", "453-456-7890 x2"]) {
      expect([await linkedBy(phone), await search(phone)]).toEqual([
        american.body.patient.id,
        [american.body.patient.id],
      ]);
      expect(await chatIsAbout(phone, "American Example")).toBe(true);
    }
    const again = await create("Another Example", DANISH);
    expect(again).toMatchObject({ status: 409, body: { patient: { name: "Dane Example" } } });
  });

  test("keep their numbers when other fields change, or when the record is sent back as it was read", async () => {
    const { id } = (await create("Norwegian Example", "+47 21 12 34 56 78")).body.patient;
    const dane = (await create("Second Dane", "+45 21 34 56 78")).body.patient;
    for (const body of [{ age: 50 }, { phone_number: dane.phone_number }, { phone_number: "+45 21 34 56 78" }]) {
      const patched = await service.call("PATCH", `/patients/${dane.id}`, { body });
      expect(patched).toMatchObject({ status: 200, body: { patient: { phone_number: "4521345678" } } });
    }
    const moved = await service.call("PATCH", `/patients/${id}`, { body: { phone_number: "+45 21 34 56 78" } });
    expect(moved).toMatchObject({ status: 409, body: { patient: { id: dane.id } } });
  });
});

test.each([
  ["+290 12345", "29012345"],
  ["+86 138 1234 5678", "8613812345678"],
  ["+234 803 123 456 789", "234803123456789"],
])("%s is stored as %s, also from FHIR, and is the same after export and import", async (number, stored) => {
  const patient = { resourceType: "Patient", name: [{ text: "Pat Example" }] };
  const body = { ...patient, telecom: [{ system: "phone", value: number }] };
  const { status, body: imported } = await service.call("POST", "/patients/fhir", { body });
  expect({ status, phone: imported.patient.phone_number }).toEqual({ status: 201, phone: stored });
  expect(await linkedBy(number)).toBe(imported.patient.id);
  const exported = (await service.call("GET", `/patients/${imported.patient.id}/fhir`)).body;
  await service.call("DELETE", `/patients/${imported.patient.id}`);
  const again = await service.call("POST", "/patients/fhir", { body: exported });
  expect(again.body.patient.phone_number).toBe(stored);
});
