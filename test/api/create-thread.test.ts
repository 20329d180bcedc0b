import { describe, expect, test } from "@jest/globals";
import type { ModelReply } from "../helpers/model/scripted-model.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const create = (body?: unknown) => service.call("POST", "/threads", { body });

/** Creates a patient of whom only these facts are known. */
const createPatient = (known: object = {}) => service.newPatient({ age: undefined, gender: undefined, ...known });

describe("POST /threads", () => {
  test.each([undefined, "", " \n"])("accepts the body %j as an empty object", async (body) => {
    expect(await create(body)).toMatchObject({ status: 201, body: { messageCount: 0 } });
  });
});

describe("the message of a new thread says", () => {
  test("whether there is a patient; a header, whether a phone number was found, for new threads, chats and repetitions", async () => {
    const { id, phone_number } = await service.newPatient({ phone_number: "5550177045" });
    const linked = /^Thread created and linked to a patient\./;
    const cases: [body: object, result: string | null, message: RegExp][] = [
      [{ phone: phone_number }, "found", linked],
      [{ phone: "+1 555 999 0000" }, "not-found", /without a patient: no patient has this phone number\./],
      [
        { phone: "12345" },
        "invalid",
        /: phone is not usable, because it must have 10 digits, or 11 with the country code/,
      ],
      [{ patientId: id, phone: "12345" }, null, linked],
      [{}, null, /^Thread created without a patient\. Send messages/],
    ];
    for (const [index, [body, result, message]] of cases.entries()) {
      const request = { body, headers: { "idempotency-key": `lookup-${index}` } };
      const replies = [
        await service.call("POST", "/threads", request),
        await service.call("POST", "/threads", request),
        await service.chat({ ...body, message: "hello" }),
      ];
      expect(replies.map(({ headers }) => headers.get("x-phone-lookup"))).toEqual([result, result, result]);
      expect(replies[1]?.headers.get("idempotent-replayed")).toBe("true");
      expect(replies[0]?.body.message).toMatch(message);
    }
  });

  test.each([
    [undefined, "Answers come from an AI"],
    ["es-MX,es;q=0.9", "Las respuestas provienen de una inteligencia artificial"],
    ["it, zh-TW;q=0.5, de;q=0.8", "Die Antworten stammen von einer künstlichen Intelligenz"],
  ])("that answers come from an AI, in the language of Accept-Language: %s", async (language, text) => {
    const headers: Record<string, string> = language === undefined ? {} : { "accept-language": language };
    const { body } = await service.call("POST", "/threads", { body: {}, headers });
    expect(body.message).toContain(text);
  });
});

describe("the opening question", () => {
  test.each([
    ["age and gender", {}],
    ["age", { gender: "male" }],
    ["gender", { age: 0 }],
  ])("asks for the %s missing from the record", async (missing, known) => {
    const { id } = await createPatient(known);
    service.model.script = () => ({ content: "Hello! May I ask?" });
    const reply = await create({ patientId: id });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ initialMessage: "Hello! May I ask?", messageCount: 2 });
    expect((await service.thread(reply.body.threadId)).messageCount).toBe(2);
    expect(service.prompt().at(-1)?.content).toContain(`my ${missing},`);
  });

  test("is part of the conversation, unlike the internal request for it", async () => {
    const { id } = await createPatient();
    service.model.script = () => ({ content: "How old are you?" });
    const { threadId } = (await create({ patientId: id })).body;

    const reply = await service.chat({ message: "I am 40", threadId });
    expect(reply.body.messageCount).toBe(4);
    expect(service.prompt().slice(1)).toEqual([
      { role: "assistant", content: "How old are you?" },
      { role: "user", content: "I am 40" },
    ]);
  });

  test.each<[string, ModelReply]>([
    ["answers 401", { status: 401 }],
    // The limit is 5 seconds; this is the one case that has to wait for it.
    ["never answers", { hang: true }],
  ])("is omitted if the model %s; the thread is still created", async (_, modelReply) => {
    const { id } = await createPatient();
    service.model.script = () => modelReply;
    const reply = await create({ patientId: id });
    expect(reply).toMatchObject({ status: 201, body: { messageCount: 0 } });
    expect(reply.body).not.toHaveProperty("initialMessage");
    expect(await service.thread(reply.body.threadId)).toMatchObject({ patientId: id, messageCount: 0 });
  });
});

describe("metadata", () => {
  test.each(["x", "é"])("is limited to 16 KB, to the byte (of %s)", async (character) => {
    // {"a":"…"} is 8 bytes plus its text.
    const text = character.repeat((16 * 1024 - 8) / Buffer.byteLength(character));
    expect((await create({ metadata: { a: text } })).status).toBe(201);

    const reply = await create({ metadata: { a: `${text}x` } });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      error: expect.stringContaining("metadata"),
      details: [{ path: "metadata", message: expect.any(String) }],
    });
  });
});
