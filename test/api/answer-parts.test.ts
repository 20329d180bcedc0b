import { beforeEach, describe, expect, test } from "@jest/globals";
import { verdictOf } from "../helpers/model/scripted-model.ts";
import { CARDIAC, SUICIDAL, SUSPECTED } from "../helpers/safety-messages.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const include = ["parts"];
const [SUSPICION] = SUSPECTED.emergency;

type Part = { kind: string; text: string };
let patientId: string;
let threadId: string;
beforeEach(async () => {
  ({ id: patientId } = await service.newPatient({ allergies: "penicillin", medications: [{ name: "warfarin" }] }));
  threadId = await service.newThread({ patientId });
});

const says = (content: string) => () => ({ content });
const takeOver = () => service.call("PUT", `/threads/${threadId}/handoff`, { body: { by: "Ana" } });
const kinds = (parts: Part[]) => parts.map(({ kind }) => kind).join(" ");
const join = (parts: Part[]) => parts.map(({ text }) => text).join("\n\n");

/** Puts the parts of a stream together from its events. */
function partsOf(events: { event: string; data: Record<string, unknown> }[]): Part[] {
  const parts = new Map<unknown, Part>();
  for (const { event, data } of events) {
    if (event === "part") {
      const { part, ...fields } = data;
      parts.set(part, { ...fields, text: "" } as Part);
    } else if (event === "delta") {
      const part = parts.get(data.part) as Part;
      part.text += data.text;
    }
  }
  return [...parts.values()];
}

/** The latest answer, as it is read back and as it is exported. */
async function readBack(): Promise<{ content: string; parts: Part[] }[]> {
  const list = await service.call("GET", `/threads/${threadId}/messages?include=parts,safety`);
  const { threads } = (await service.call("GET", `/patients/${patientId}/export`)).body;
  return [list.body.messages[0], threads[0].messages[0]];
}

/** What the model is told of the latest answer when the user goes on. */
async function shownToModel(): Promise<string> {
  service.model.requests.length = 0;
  service.model.script = says("Go on.");
  await service.chat({ message: "And then?", threadId });
  const answers = service.model.requests[0]?.body.messages.filter(({ role }: { role: string }) => role === "assistant");
  return answers?.at(-1)?.content.replace(/^\[\[.*\]\]\n/, "") ?? "";
}

const ANSWERS: [what: string, message: string, answer: string, kinds: string][] = [
  ["the model's words", "What helps against a cold?", "Rest and drink enough.", "words"],
  ["an alert above the words", CARDIAC, "I am staying with you.", "alert words"],
  ["the offer in a crisis", SUICIDAL, "Tell me more.", "alert offer words"],
  ["cautions below the words", "Can I take something?", "Take amoxicillin or ibuprofen.", "words caution caution"],
  ["words of several paragraphs", "What helps?", "Rest.\n\nDrink.\n\nSleep.", "words"],
  ["what is said about a person", "Can I talk to a real person please?", "Yes.", "words handoff"],
];

describe.each([false, true])("an answer in parts (streamed: %j)", (streamed) => {
  /** Chats, and returns the parts; in a stream, as they were sent. */
  async function chat(body: object, headers: Record<string, string> = {}): Promise<Part[]> {
    const request = { threadId, include, ...body };
    if (!streamed) {
      const { body: result } = await service.chat(request, headers);
      expect(result.response).toBe(join(result.parts));
      return result.parts;
    }
    const events = await service.stream(request, headers);
    const done = events.at(-1)?.data as { response: string; parts: Part[] };
    expect(partsOf(events)).toEqual(done.parts);
    expect(done.response).toBe(join(done.parts));
    return done.parts;
  }

  async function expectStored(parts: Part[]): Promise<void> {
    for (const { content, parts: stored } of await readBack()) {
      expect(stored).toEqual(parts);
      expect(content).toBe(join(parts));
    }
  }

  test.each(ANSWERS)("consists of %s, and is stored, exported and shown to the model so", async (...row) => {
    const [, message, answer, expected] = row;
    service.model.script = says(answer);
    const parts = await chat({ message });
    expect(kinds(parts)).toBe(expected);
    expect(parts.find(({ kind }) => kind === "words")?.text).toBe(answer);
    await expectStored(parts);
    expect(await shownToModel()).toBe(join(parts.filter(({ kind }) => kind !== "handoff")));
  });

  test("keeps a caution apart from the same words by the model", async () => {
    const message = "Can I take amoxicillin?";
    const [, caution] = await chat({ message });
    service.model.script = says(`No.\n\n${caution?.text}`);
    const parts = await chat({ message });
    expect(parts.slice(0, 2)).toEqual([{ kind: "words", text: `No.\n\n${caution?.text}` }, caution]);
    expect(caution).toMatchObject({ basis: "allergy", drug: "amoxicillin", because: "penicillin" });
    await expectStored(parts);
  });

  test("has the alert with which the model interrupts itself, in a stream where it does so", async () => {
    service.model.script = says("[[level: none]]\nSure.\n\n[[level: emergency stroke]]\nDo not wait.");
    const parts = await chat({ message: "What helps against a cold?" });
    expect(kinds(parts)).toBe(streamed ? "words alert words" : "alert words");
    expect(parts.find(({ kind }) => kind === "alert")).toMatchObject({ level: "emergency", category: "stroke" });
    await expectStored(parts);
  });

  test("has whom to call and what is missing if nobody can judge a suspicion", async () => {
    service.model.script = () => ({ status: 401 });
    service.model.verdict = () => ({ status: 401 });
    const parts = await chat({ message: SUSPICION });
    expect(kinds(parts)).toBe("neutral unanswered");
    await expectStored(parts);
  });

  test("begins with an alert that the model's verdict on a suspicion confirms", async () => {
    service.model.verdict = () => verdictOf("emergency", "stroke");
    expect(kinds(await chat({ message: SUSPICION }))).toBe("alert words");
  });

  test("names the person who has taken over, and the model learns what was said, not the notice", async () => {
    await takeOver();
    const parts = await chat({ message: "Can I take amoxicillin?" });
    expect(parts).toMatchObject([{ kind: "held", by: "Ana" }, { kind: "caution" }]);
    await expectStored(parts);
    await service.call("DELETE", `/threads/${threadId}/handoff`);
    service.model.requests.length = 0;
    await service.chat({ message: "And now?", threadId });
    const sent = JSON.stringify(service.model.requests[0]?.body.messages);
    expect(sent).toContain("Can I take amoxicillin?");
    expect(sent).not.toContain("Ana has taken over");
  });

  test("is repeated in the same parts for a repeated request", async () => {
    service.model.script = says("Take amoxicillin.\n\nOr rest.");
    const request = { message: SUICIDAL };
    const first = await chat(request, { "idempotency-key": "key-1" });
    service.model.script = says("another answer");
    expect(await chat(request, { "idempotency-key": "key-1" })).toEqual(first);
    expect(kinds(first)).toBe("alert offer words caution");
  });
});

test("a person who takes over meanwhile: the stream has all that was sent, the thread only what is kept", async () => {
  service.model.script = async () => {
    await takeOver();
    return { content: "Take ibuprofen." };
  };
  const events = await service.stream({ message: "My head hurts", threadId, include });
  expect(kinds(partsOf(events))).toBe("words caution held");
  expect(partsOf(events)).toEqual(events.at(-1)?.data.parts);
  const [stored] = await readBack();
  expect(kinds(stored?.parts ?? [])).toBe("held");
});

test("an opening question consists of words", async () => {
  service.model.script = says("How old are you?");
  ({ id: patientId } = await service.newPatient({ age: undefined }));
  threadId = await service.newThread({ patientId });
  for (const { content, parts } of await readBack()) {
    expect(parts).toEqual([{ kind: "words", text: content }]);
  }
  expect(await shownToModel()).toBe("How old are you?");
});

test("without include, neither a response, a stream nor a list of messages has parts", async () => {
  const { body } = await service.chat({ message: CARDIAC, threadId });
  const events = await service.stream({ message: CARDIAC, threadId });
  const list = await service.call("GET", `/threads/${threadId}/messages`);
  expect(body.parts).toBeUndefined();
  expect([...new Set(events.map(({ event }) => event))]).toEqual(["delta", "done"]);
  expect(events.map(({ data }) => Object.keys(data).toSorted().join()).slice(0, -1)).toEqual(
    events.slice(0, -1).map(() => "text"),
  );
  expect(list.body.messages[0].parts).toBeUndefined();
});

test("a new thread has its disclosure as a field for those who ask for it", async () => {
  const { body } = await service.call("POST", "/threads", { body: { include: ["disclosure"] } });
  expect(body.message.endsWith(` ${body.disclosure}`)).toBe(true);
  const other = await service.call("POST", "/threads", { body: {} });
  expect(other.body).not.toHaveProperty("disclosure");
});
