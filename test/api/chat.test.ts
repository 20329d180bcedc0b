import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "../helpers/any-character.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const chat = (body: unknown) => service.chat(body);

let lastPhone = 5_550_100_000;
const nextPhone = () => String(++lastPhone);

/** Sends a chat that must be rejected with this status before the model is called; returns the body. */
async function rejected(status: number, body: unknown) {
  const before = service.model.requests.length;
  const reply = await chat(body);
  expect(service.model.requests).toHaveLength(before);
  expect(reply.status).toBe(status);
  return reply.body;
}

describe("POST /chat without a thread", () => {
  test("returns an answer to the instructions and the message, which the provider is asked not to store", async () => {
    const reply = await chat({ message: "hello" });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, response: "answer to: hello" });
    expect(service.prompt()).toEqual([
      { role: "system", content: expect.any(String) },
      { role: "user", content: "hello" },
    ]);
    expect(service.recordSent()).toBeUndefined();
    expect(service.model.requests.at(-1)?.body.store).toBe(false);
  });

  test("uses conversationHistory as context, in order", async () => {
    const conversationHistory = [
      { role: "user", content: "first" },
      { role: "assistant", content: "second" },
      { role: "user", content: "third" },
      { role: "assistant", content: "fourth" },
    ];
    await chat({ message: "fifth", conversationHistory });
    expect(service.prompt().slice(1)).toEqual([...conversationHistory, { role: "user", content: "fifth" }]);
  });
});

describe("the message", () => {
  test("reaches the model unchanged", async () => {
    const anyMessage = fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 200 })
      .filter((text) => /[^\s\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text));
    await fc.assert(
      fc.asyncProperty(anyMessage, async (message) => {
        expect((await chat({ message })).status).toBe(200);
        expect(service.prompt().at(-1)).toEqual({ role: "user", content: message });
      }),
      { numRuns: 50 },
    );
  });

  test.each(["", " ", "\n\t \r", "\u00a0\u2003"])("is required: %j is rejected", async (message) => {
    expect(await rejected(400, { message })).toMatchObject({ success: false, error: "message is required" });
  });

  test("can have at most 16,000 characters", async () => {
    expect((await chat({ message: "x".repeat(16_000) })).status).toBe(200);
    const body = await rejected(400, { message: "x".repeat(16_001) });
    expect(body).toMatchObject({ success: false, details: [{ path: "message" }] });
  });
});

describe("patientData", () => {
  test("overrides the stored record field by field, for this request only", async () => {
    const { id } = await service.newPatient({ height: "170 cm", conditions: ["asthma"], allergies: "penicillin" });
    const stored = (await service.call("GET", `/patients/${id}`)).body;
    const patientData = { age: 41, conditions: ["eczema", { name: "gout" }], allergies: [], category_note: "new" };

    await chat({ message: "hello", patientId: id, patientData });
    expect(service.recordSent()).toEqual({
      name: "Pat Example",
      age: 41,
      gender: "female",
      height: "170 cm",
      conditions: ["eczema", { name: "gout" }],
      category_note: "new",
    });

    expect((await service.call("GET", `/patients/${id}`)).body).toEqual(stored);
    await chat({ message: "hello", patientId: id });
    expect(service.recordSent()).toMatchObject({ age: 40, conditions: ["asthma"], allergies: "penicillin" });
  });

  test("is the whole record when there is no patient", async () => {
    const patientData = {
      name: "Pat Example",
      medications: [{ name: "aspirin", dosage: "100 mg", condition: "pain" }],
      last_visit: "2026-03-01",
    };
    await chat({ message: "hello", patientData });
    expect(service.recordSent()).toEqual(patientData);
  });
});

describe("POST /chat with a thread", () => {
  test("updates the thread and sets its expiry to 30 minutes after the last activity", async () => {
    const threadId = await service.newThread();
    const before = await service.thread(threadId);
    const { body } = await chat({ message: "hello", threadId });
    expect(body).toEqual({ success: true, response: "answer to: hello", threadId, messageCount: 2 });
    const after = await service.thread(threadId);

    expect(after).toMatchObject({ messageCount: 2, createdAt: before.createdAt });
    expect(Date.parse(after.lastActivity)).toBeGreaterThan(Date.parse(before.lastActivity));
    expect(Date.parse(after.expiresAt) - Date.parse(after.lastActivity)).toBe(30 * 60_000);
  });

  test("sends the thread's last 20 messages, in order", async () => {
    const threadId = await service.newThread();
    for (let turn = 1; turn <= 12; turn++) {
      await chat({ message: `question ${turn}`, threadId });
    }
    await chat({ message: "question 13", threadId });

    const lastTen = Array.from({ length: 10 }, (_, i) => i + 3).flatMap((turn) => [
      { role: "user", content: `question ${turn}` },
      { role: "assistant", content: `answer to: question ${turn}` },
    ]);
    expect(service.prompt()).toEqual([
      { role: "system", content: expect.any(String) },
      ...lastTen,
      { role: "user", content: "question 13" },
    ]);
  });

  test("ignores conversationHistory", async () => {
    const threadId = await service.newThread();
    await chat({ message: "one", threadId });
    await chat({ message: "two", threadId, conversationHistory: [{ role: "user", content: "from elsewhere" }] });
    expect(service.prompt().map(({ content }) => content)).toEqual([
      expect.any(String),
      "one",
      "answer to: one",
      "two",
    ]);
  });

  const NOT_FOUND = { success: false, error: "Thread not found or expired" };

  test.each(["00000", "1234", "123456", "abcde", "٣٤٥٦٧", ""])("returns 404 for the thread id %j", async (threadId) => {
    expect(await rejected(404, { message: "hello", threadId })).toEqual(NOT_FOUND);
  });
});

describe.each(["linked", "bound"])("POST /chat with a thread that is %s to a patient", (how) => {
  /** A thread that was created for the patient, or has answered about the patient. */
  async function threadOf(patientId: string): Promise<string> {
    const threadId = await service.newThread(how === "linked" ? { patientId } : {});
    await chat({ message: "hello", threadId, patientId });
    return threadId;
  }

  test("accepts that patient's id and phone, an unknown phone, and neither", async () => {
    const { id, phone_number: phone } = await service.newPatient({ name: "Lin Example", phone_number: nextPhone() });
    const threadId = await threadOf(id);
    for (const naming of [{ patientId: id.toUpperCase() }, { phone }, { phone: "+1 555 999 0000" }, {}]) {
      expect((await chat({ message: "hello", threadId, ...naming })).status).toBe(200);
      const isUsed = how === "linked" || "patientId" in naming || phone === naming.phone;
      expect(service.recordSent()?.name).toBe(isUsed ? "Lin Example" : undefined);
    }
  });

  test.each(["patientId", "phone"])(
    "rejects the %s of another patient, and leaves the thread unchanged",
    async (path) => {
      const { id } = await service.newPatient();
      const other = await service.newPatient({ phone_number: nextPhone() });
      const threadId = await threadOf(id);
      const before = await service.thread(threadId);
      expect(before.patientId).toBe(how === "linked" ? id : null);

      const naming = { [path]: path === "phone" ? other.phone_number : other.id };
      expect(await rejected(400, { message: "hello", threadId, ...naming })).toEqual({
        success: false,
        error: `${path} names another patient than the one this thread is linked to`,
        details: [{ path, message: "must be the thread's own patient" }],
      });
      expect(await service.thread(threadId)).toEqual(before);
    },
  );
});

describe("POST /chat with a thread without a linked patient", () => {
  test.each(["patientId", "phone"])("uses the patient given by %s, and leaves the thread unlinked", async (path) => {
    const { id, phone_number } = await service.newPatient({ name: "Una Example", phone_number: nextPhone() });
    const threadId = await service.newThread();
    await chat({ message: "one", threadId, [path]: path === "phone" ? phone_number : id });
    expect(service.recordSent().name).toBe("Una Example");

    expect((await service.thread(threadId)).patientId).toBeNull();
    await chat({ message: "two", threadId });
    expect(service.recordSent()).toBeUndefined();
  });
});
