import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { chat } from "../../shared/chat/chat.ts";
import type { ChatRequest } from "../../shared/chat/chat-request.ts";
import { estimateTokens } from "../../shared/model/token-estimate.ts";
import { createPatient } from "../../shared/patients/create-patient.ts";
import { newContext } from "../helpers/caller.ts";
import { startTestEnvironment, type TestEnvironment } from "../helpers/service/in-process.ts";

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment(process.env.TEST_CLOUD_ASSEMBLY ?? "");
});
afterAll(() => environment.stop());

/** A typical record: two conditions, three medications, two notes. */
const RECORD = {
  name: "A Patient",
  age: 61,
  gender: "female",
  height: "170 cm",
  weight: "74 kg",
  blood_type: "A+",
  conditions: ["type 2 diabetes", "hypertension"],
  allergies: "penicillin, sulfa drugs",
  medications: [
    { name: "metformin", dosage: "500 mg", frequency: "twice a day, with meals" },
    { name: "lisinopril", dosage: "10 mg", frequency: "once a day, in the morning" },
    { name: "atorvastatin", dosage: "20 mg", frequency: "once a day, in the evening" },
  ],
  notes: [
    { date: "2026-01-10", text: "Blood pressure 138/86; to be measured at home for two weeks." },
    { date: "2026-02-02", text: "Asked about side effects of metformin; takes it with food now." },
  ],
};

/** The size of the request to the provider, in bytes and in estimated tokens. */
async function sizeOf(request: ChatRequest): Promise<{ bytes: number; tokens: number }> {
  await chat(newContext(), request);
  const sent = environment.model.requests.at(-1);
  const tokens = sent?.body.messages.map(({ content }) => estimateTokens(content)) ?? [];
  return { bytes: Number(sent?.headers["content-length"]), tokens: tokens.reduce((sum, one) => sum + one, 0) };
}

function expectAtMost(size: { bytes: number; tokens: number }, most: { bytes: number; tokens: number }): void {
  expect(size.tokens).toBeLessThanOrEqual(most.tokens);
  expect(size.bytes).toBeLessThanOrEqual(most.bytes);
}

describe("the prompt", () => {
  test("has at most 750 tokens with a short message", async () => {
    expectAtMost(await sizeOf({ message: "?" }), { tokens: 750, bytes: 3_200 });
  });

  test("has at most 910 tokens with a short message and a typical record", async () => {
    const { patient } = (await createPatient(newContext(), RECORD)).body;
    expectAtMost(await sizeOf({ message: "?", patientId: patient.id }), { tokens: 910, bytes: 3_900 });
  });

  test.each(["a", "\u8a9e", "\u{1f642}"])(
    "fills the context without exceeding it, in the script of %s",
    async (letter) => {
      const content = letter.repeat(letter === "a" ? 1_260 : 315 / letter.length);
      const conversationHistory = Array.from({ length: 100 }, (_, index) => ({
        role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content,
      }));
      const size = await sizeOf({ message: content, conversationHistory });
      const most = Number(environment.variables.MODEL_CONTEXT_TOKENS);
      expect(size.tokens).toBeGreaterThan(most - 400);
      // A token has at most four bytes, and each of a hundred messages adds 40 bytes of JSON.
      expectAtMost(size, { tokens: most, bytes: 4 * most + 100 * 40 });
    },
  );
});
