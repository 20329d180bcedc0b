import { describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const INCLUDE = { include: ["safety"] };

/** Sends a message, and returns the drugs of the cautions in the answer, with what they rest on. */
async function cautions(message: string, more: object = {}): Promise<unknown[]> {
  const { status, body } = await service.chat({ message, ...INCLUDE, ...more });
  expect(status).toBe(200);
  return body.safety.cautions;
}

const SAID = { kind: "allergy", drug: "amoxicillin", because: "penicillin", said: true };

describe("what somebody says in a conversation", () => {
  test("raises a caution, marked as said, with and without a thread, also from earlier messages", async () => {
    const message = "I'm allergic to penicillin. Can I take amoxicillin?";
    const { body } = await service.chat({ message, ...INCLUDE });
    expect(body.safety.cautions).toEqual([SAID]);
    expect(body.response).toContain("you mentioned an allergy to penicillin");
    expect(body.response).not.toContain("the record lists");

    const threadId = await service.newThread();
    await service.chat({ message: "I'm allergic to penicillin", threadId });
    expect(await cautions("Is amoxicillin ok?", { threadId })).toEqual([SAID]);
    const { messages } = (await service.call("GET", `/threads/${threadId}/messages?include=safety`)).body;
    expect(messages[0].safety.cautions).toEqual([{ ...SAID, text: expect.stringContaining("you mentioned") }]);
    const conversationHistory = [{ role: "user", content: "I'm allergic to penicillin" }];
    expect(await cautions("Is amoxicillin ok?", { conversationHistory })).toEqual([SAID]);
  });

  test("is not in the record, whose own allergy is not marked", async () => {
    const { id: patientId } = await service.newPatient({ allergies: "penicillin" });
    const [caution] = await cautions("I'm allergic to penicillin. Can I take amoxicillin?", { patientId });
    expect(caution).toEqual({ kind: "allergy", drug: "amoxicillin", because: "penicillin" });
  });
});

test("a caution is said once in a thread, and again when somebody asks about the drug again", async () => {
  const { id: patientId } = await service.newPatient({ medications: [{ name: "warfarin" }] });
  const threadId = await service.newThread({ patientId });
  const drugs = async (message: string) =>
    (await cautions(message, { threadId })).map((caution) => (caution as { drug: string }).drug);
  expect(await drugs("Can I take ibuprofen?")).toEqual(["ibuprofen"]);
  expect(await drugs("What time is it?")).toEqual([]);
  expect(await drugs("Where can I park?")).toEqual([]);
  expect(await drugs("Thanks!")).toEqual([]);
  expect(await drugs("Is ibuprofen really so bad?")).toEqual(["ibuprofen"]);
  expect(await drugs("And how often can I take it?")).toEqual(["ibuprofen"]);
});

describe("a medicine without a name", () => {
  test.each([[{ drug: "warfarin" }], [{}], [{ dosage: "5 mg" }], [{ name: " " }]])(
    "is a 400 that names it, in a record and in patientData: %j",
    async (medicine) => {
      const medications = [{ name: "aspirin" }, medicine];
      const { id } = await service.newPatient();
      for (const [reply, path] of [
        [await service.call("POST", "/patients", { body: { name: "Pat", medications } }), "medications.1.name"],
        [await service.call("PATCH", `/patients/${id}`, { body: { medications } }), "medications.1.name"],
        [await service.chat({ message: "hello", patientData: { medications } }), "patientData.medications.1.name"],
      ] as const) {
        expect({ status: reply.status, paths: reply.body.details.map((each: { path: string }) => each.path) }).toEqual({
          status: 400,
          paths: expect.arrayContaining([path]),
        });
      }
    },
  );
});
