import { describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

/** Fields that only other channels set. */
const OTHER_CHANNELS = {
  subscription_plan: "free",
  whatsapp_terms_accepted: false,
  never_show_audio_prompt: false,
  access_code: null,
  apple_messages_id: null,
  apple_messages_terms_accepted: false,
};

async function create(fields: object) {
  return (await service.call("POST", "/patients", { body: fields })).body.patient;
}

describe("GET /patients/{id}", () => {
  test("returns a full record", async () => {
    const demographics = {
      gender: "female",
      age: 34.5,
      height: "170 cm",
      weight: "65 kg",
      race: "any",
      blood_type: "A-",
    };
    const created = await create({
      ...demographics,
      name: "Pat Example",
      phone_number: "5550140001",
      conditions: ["asthma"],
      medications: [{ name: "aspirin", dosage: "100 mg", frequency: "daily" }],
      allergies: "nuts",
      notes: [{ text: "first" }, {}],
      reminders_enabled: true,
      refill_info: { count: 2 },
    });
    const reply = await service.call("GET", `/patients/${created.id}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, patient: { ...created, ...demographics, ...OTHER_CHANNELS } });
  });

  test("returns null for unknown values", async () => {
    const created = await create({ phone_number: "5550140002" });
    const unknown = { gender: null, age: null, height: null, weight: null, race: null, blood_type: null };
    expect((await service.call("GET", `/patients/${created.id}`)).body.patient).toEqual({
      ...created,
      ...unknown,
      ...OTHER_CHANNELS,
      allergies: null,
    });
  });

  test("accepts the id in upper or lower case", async () => {
    const { id } = await create({ name: "Pat Example" });
    expect((await service.call("GET", `/patients/${id.toUpperCase()}`)).body.patient.id).toBe(id);
  });

  test("does not return phone locks", async () => {
    await create({ name: "Pat Example", phone_number: "5550140003" });
    for (const id of ["phone%2315550140003", "15550140003"]) {
      expect((await service.call("GET", `/patients/${id}`)).status).toBe(404);
    }
  });
});
