import { beforeEach, describe, expect, test } from "@jest/globals";
import { CARDIAC, SUICIDAL, SUSPECTED } from "../helpers/safety-messages.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let patientId: string;
let threadId: string;
beforeEach(async () => {
  ({ id: patientId } = await service.newPatient({ medications: [{ name: "warfarin" }] }));
  threadId = await service.newThread({ patientId });
});

const HELD =
  "Ana has taken over this conversation and can read what you write here. Until it is given back, the AI does not answer. In an emergency, do not wait for a reply: call 911.";
const hold = () => service.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Ana" } });
const messages = async () => (await service.call("GET", `/threads/${threadId}/messages`)).body.messages;

describe("a message that may mean danger, while a person holds the thread", () => {
  test("is not offered an answer of the AI in a crisis, streamed or not", async () => {
    await hold();
    const { response } = (await service.chat({ message: SUICIDAL, threadId })).body;
    expect(response).toMatch(new RegExp(`^Thank you for saying this\\..* danger right now, call 911\\.\n\n${HELD}$`));
    expect(textOf(await service.stream({ message: SUICIDAL, threadId }))).toBe(response);
  });

  test("is answered with whom to call if it is suspected, since no model judges it", async () => {
    await hold();
    const [message] = SUSPECTED.emergency;
    const { response } = (await service.chat({ message, threadId })).body;
    expect(response).toMatch(/^If this may be an emergency, call 911\./);
    expect(response).toContain(HELD);
    expect(service.model.verdictRequests).toHaveLength(0);
  });
});

describe("a caution about a drug in the user's message, while a person holds the thread", () => {
  const message = "Can I take ibuprofen for my back?";
  const include = ["safety"];
  const CAUTIONS = [{ kind: "interaction", drug: "ibuprofen", because: "warfarin" }];
  const CAUTION = /\n\nCaution: the record lists warfarin, and together with ibuprofen it can be dangerous: [^\n]*$/;
  const EVENTS = "safety delta safety delta done";

  test("is a part of its own in a stream, also of a repeated request", async () => {
    await hold();
    for (const _ of ["first", "repeated"]) {
      const events = await service.stream({ message, threadId, include }, { "idempotency-key": "key-1" });
      expect(events.map(({ event }) => event).join(" ")).toBe(EVENTS);
      expect(events[1]?.data.text).toBe(HELD);
      expect(events[2]?.data).toMatchObject({ level: "none", cautions: CAUTIONS });
      expect(events[3]?.data.text).toMatch(CAUTION);
      expect(events.at(-1)?.data).toMatchObject({ response: textOf(events), safety: { cautions: CAUTIONS } });
    }
  });

  test("takes the place of those in an answer that the model was writing when the person took over", async () => {
    service.model.script = async () => {
      await hold();
      return { content: "Aspirin would be worse." };
    };
    const { response, safety } = (await service.chat({ message, threadId, include })).body;
    expect(response.replace(CAUTION, "")).toBe(HELD);
    expect(safety.cautions).toEqual(CAUTIONS);
  });

  test("stays in a stream that the person's taking over interrupts, and is stored", async () => {
    const spoken = Promise.withResolvers<void>();
    service.model.script = () => ({
      content: "Ask first.",
      beforeWord: (index) => (index > 0 ? spoken.promise : Promise.resolve()),
    });
    const stream = await openStream(service, { message, threadId });
    await stream.next();
    await hold();
    spoken.resolve();
    const done = (await stream.rest()).at(-1);
    expect(done?.data.response).toContain(`\n\n${HELD}\n\nCaution: the record lists warfarin`);
    const [stored] = await messages();
    expect(stored.content.replace(CAUTION, "")).toBe(HELD);
    expect(stored.content).toMatch(CAUTION);
  });
});

test("a caution also follows what replaces an answer that the model does not give", async () => {
  await service.chat({ message: CARDIAC, threadId });
  service.model.script = () => ({ status: 401 });
  const { response } = (await service.chat({ message: "Can I just take an aspirin and wait?", threadId })).body;
  expect(response).toMatch(/I cannot give you an answer right now\.\n\nCaution: the record lists warfarin, .* aspirin/);
});
