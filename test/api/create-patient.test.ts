import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "../helpers/any-character.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const create = (body?: unknown) => service.call("POST", "/patients", { body });
const read = async (id: string) => (await service.call("GET", `/patients/${id}`)).body.patient;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("POST /patients", () => {
  test("stores an age too small for a DynamoDB number as 0", async () => {
    const { body } = await create({ name: "Pat Example", age: 1e-131 });
    expect((await read(body.patient.id)).age).toBe(0);
  });

  test("names the fields that ignored ones were probably meant to be, in a header and in the log", async () => {
    const typos = {
      alergies: "latex",
      medication: ["warfarin"],
      notes: [],
      medications: [{ name: "aspirin", dosge: "1 mg" }],
    };
    const reply = await service.call("POST", "/patients", {
      body: { name: "Pat Example", ...typos, "favourite Röntgen": 1 },
      headers: { "x-request-id": "typos" },
    });
    expect(reply.status).toBe(201);
    expect(reply.headers.get("x-did-you-mean")).toBe("allergies, medications, medications.dosage");
    const lines = await service.linesOf("typos");
    expect(lines.at(-1)).toMatchObject({ likelyMeant: ["allergies", "medications", "medications.dosage"] });
    expect(JSON.stringify(lines)).not.toMatch(/alergies|latex|Röntgen/);
    expect((await create({ name: "Pat Example", shoeSize: 44 })).headers.has("x-did-you-mean")).toBe(false);
  });

  test("ignores unknown fields, and sets ids and times itself", async () => {
    const given = { id: "mine", created_at: "1999-01-01T00:00:00Z", access_code: "1", subscription_plan: "gold", x: 1 };
    const { patient } = (await create({ name: "Pat Example", join_status: "WEB", ...given })).body;
    expect(patient.id).toMatch(UUID);
    expect(patient.created_at).not.toBe(given.created_at);
    const stored = await read(patient.id);
    expect(stored).toMatchObject({ join_status: "API", access_code: null, subscription_plan: "free" });
    expect(stored).not.toHaveProperty("x");
  });
});

describe("a patient with neither a name nor a phone number", () => {
  test.each([undefined, {}, { name: "" }, { name: " \n" }, { age: 40 }, { notes: [{}] }])(
    "is a 400: %j",
    async (body) => {
      const reply = await create(body);
      expect(reply.status).toBe(400);
      expect(reply.body).toEqual({
        success: false,
        error: "Failed to create patient",
        details: [{ path: "name", message: expect.any(String) }],
      });
    },
  );

  test("is not one with one of them", async () => {
    expect((await create({ name: " Pat Example " })).body.patient.name).toBe("Pat Example");
    expect((await create({ name: " ", phone_number: "5550130003" })).body.patient).not.toHaveProperty("name");
  });
});

describe("phone_number", () => {
  test("is stored as 11 digits, however it is written", async () => {
    // Without digits of other scripts, a plus, and what begins an extension (test/unit/patients/phone.test.ts).
    const junk = fc
      .string({ unit: anyCharacter, maxLength: 3 })
      .map((text) => text.replace(/[\p{Nd}+＋,;#~×xpw]|[A-Za-z]{2}|[^\0-\u{7f}]/giu, ""));
    const digit = fc.integer({ min: 0, max: 9 }).map(String);
    const written = fc
      .oneof(fc.array(digit, { minLength: 10, maxLength: 10 }), fc.array(digit, { minLength: 11, maxLength: 11 }))
      .chain((digits) =>
        fc
          .array(junk, { minLength: digits.length, maxLength: digits.length })
          .map((between) => ({ digits: digits.join(""), input: digits.map((d, i) => `${between[i]}${d}`).join("") })),
      );
    await fc.assert(
      fc.asyncProperty(written, async ({ digits, input }) => {
        // The same number may be drawn twice; the 409 then contains its patient.
        const { patient } = (await create({ phone_number: input })).body;
        expect(patient.phone_number).toBe(digits.length === 10 ? `1${digits}` : digits);
      }),
      { numRuns: 25 },
    );
  });

  test.each(["", "no number", "555013000", "123456789012", "5".repeat(5000), "+45 1234"])(
    "must have the digits of a phone number: %.20j is a 400",
    async (phone_number) => {
      const reply = await create({ name: "Pat Example", phone_number });
      expect(reply.status).toBe(400);
      expect(reply.body).toEqual({
        success: false,
        error: "Failed to create patient",
        details: [{ path: "phone_number", message: expect.any(String) }],
      });
    },
  );

  test("belongs to one patient, whom the 409 of other creations contains, even of 60 at once", async () => {
    const notations = ["+15550130005", "15550130005", "5550130005", "(555) 013-0005", "555.013-0005"];
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        create({ name: `Racer ${i}`, phone_number: notations[i % notations.length] }),
      ),
    );
    const created = replies.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    const { id, name, phone_number } = created[0]?.body.patient ?? {};
    const refused = replies.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(59);
    for (const { body } of refused) {
      expect(body).toEqual({
        error: "Patient with this phone number already exists",
        patient: { id, name, phone_number },
      });
    }
  });
});

describe("notes and refill_info", () => {
  test("are returned unchanged", async () => {
    const object = fc.dictionary(
      fc.string({ unit: anyCharacter }),
      fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(object, { maxLength: 4 }), object, async (notes, refill_info) => {
        const sent = JSON.stringify({ notes, refill_info });
        const { patient } = (await create(`{"name":"Pat Example",${sent.slice(1)}`)).body;
        expect(JSON.stringify({ notes: patient.notes, refill_info: patient.refill_info })).toBe(sent);
        const stored = await read(patient.id);
        expect(JSON.stringify({ notes: stored.notes, refill_info: stored.refill_info })).toBe(sent);
      }),
      { numRuns: 25 },
    );
  });
});

describe("text", () => {
  test("of any UTF-16 code units is stored, with U+FFFD for lone surrogates", async () => {
    const units = fc
      .array(fc.oneof(fc.integer({ min: 0xd7ff, max: 0xe000 }), fc.integer({ min: 0, max: 0xffff })), { maxLength: 20 })
      .map((codes) => `x${String.fromCharCode(...codes)}x`);
    await fc.assert(
      fc.asyncProperty(units, async (text) => {
        const fields = { name: text, allergies: text, gender: text, conditions: [text], medications: [{ name: text }] };
        // U+FFFD has to be escaped: unescaped, it is what became of bytes that are not UTF-8.
        const reply = await create(JSON.stringify(fields).replaceAll("\ufffd", "\\ufffd"));
        expect(reply.status).toBe(201);
        expect(await read(reply.body.patient.id)).toMatchObject({
          name: text.toWellFormed(),
          allergies: text.toWellFormed(),
          gender: text.toWellFormed(),
          conditions: [text.toWellFormed()],
          medications: [{ name: text.toWellFormed() }],
        });
      }),
      { numRuns: 25 },
    );
  });
});
