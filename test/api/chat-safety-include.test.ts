import { beforeEach, describe, expect, test } from "@jest/globals";
import { verdictOf } from "../helpers/model/scripted-model.ts";
import { CARDIAC, EMERGENCY_TEXT, HARMLESS, SUSPECTED } from "../helpers/safety-messages.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let threadId: string;
beforeEach(async () => {
  threadId = await service.newThread();
});

const [SUSPICION] = SUSPECTED.emergency;
const include = ["safety"];
const patientData = { allergies: ["penicillin"], medications: [{ name: "warfarin" }] };

const NONE = { level: "none", category: null, certainty: null, decidedBy: null, cautions: [] };
const RULED_OUT = { ...NONE, decidedBy: "model" };
const CERTAIN = { ...NONE, level: "emergency", category: "cardiac", certainty: "certain", decidedBy: "rule" };
const STROKE = { ...CERTAIN, category: "stroke", decidedBy: "model" };
const CAUTIONS = [
  { kind: "allergy", drug: "amoxicillin", because: "penicillin" },
  { kind: "interaction", drug: "ibuprofen", because: "warfarin" },
];

const chat = (body: object, headers: Record<string, string> = {}) => service.chat({ include, ...body }, headers);
const stream = (body: object, headers: Record<string, string> = {}) => service.stream({ include, ...body }, headers);
const names = (events: { event: string }[]) => events.map(({ event }) => event).join(" ");
const says = (content: string) => () => ({ content });
const fields = (body: object) => Object.keys(body).toSorted().join(" ");

describe("include: safety", () => {
  test("reports that nothing was found, or a certain alert, decided by a rule", async () => {
    expect((await chat({ message: HARMLESS })).body.safety).toEqual(NONE);
    const { body } = await chat({ message: CARDIAC, threadId });
    expect(body.safety).toEqual(CERTAIN);
    expect(fields(body)).toBe("messageCount response safety success threadId");
  });

  test("does not name pregnancy when the record rules it out", async () => {
    const message = "I'm 36 weeks pregnant and the umbilical cord is hanging out";
    expect((await chat({ message })).body.safety).toMatchObject({ category: "pregnancy", certainty: "certain" });
    const { body } = await chat({ message, patientData: { gender: "male" } });
    expect(body.response).toMatch(EMERGENCY_TEXT);
    expect(body.response).not.toContain("vagina");
    expect(body.safety).toMatchObject({ level: "emergency", category: null, certainty: "certain" });
  });

  test.each([{ include: "safety" }, { include: ["everything"] }])("accepts no other value: %j", async (wrong) => {
    const { status, body } = await service.chat({ message: HARMLESS, ...wrong });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, details: [{ path: expect.stringMatching(/^include/) }] });
  });
});

describe("without include: safety", () => {
  test.each([CARDIAC, SUSPICION, HARMLESS])("the response has exactly the specified fields: %s", async (message) => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    const { body } = await service.chat({ message, threadId, patientData, include: [] });
    expect(fields(body)).toBe("messageCount response success threadId");
    const events = await service.stream({ message, threadId, patientData });
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["delta", "done"]));
    expect(fields(events.at(-1)?.data)).toBe("messageCount response success threadId");
  });
});

describe("a stream with include: safety", () => {
  test("reports a certain alert before the fixed text, and both before the model's first word", async () => {
    const release = Promise.withResolvers<void>();
    service.model.script = async () => {
      await release.promise;
      return { content: "I am here." };
    };
    const open = await openStream(service, { message: CARDIAC, include });
    expect(await open.next()).toEqual({ event: "safety", data: CERTAIN });
    expect((await open.next())?.data.text).toMatch(EMERGENCY_TEXT);
    release.resolve();
    const events = await open.rest();
    expect(names(events)).toMatch(/^(delta )+done$/);
    expect(events.at(-1)?.data.safety).toEqual(CERTAIN);
  });

  test.each([
    [verdictOf("emergency", "stroke"), "safety safety delta delta done", STROKE],
    [verdictOf("none"), "safety safety delta done", RULED_OUT],
    [{ status: 401 }, "safety delta delta done", { certainty: "suspected" }],
  ])("reports a suspected alert immediately, then the model's verdict, if any: %j", async (verdict, order, safety) => {
    Object.assign(service.model, { script: says("Wait."), verdict: () => verdict });
    const events = await stream({ message: SUSPICION });
    expect(names(events)).toBe(order);
    const reports = events.filter(({ event }) => event === "safety").map(({ data }) => data);
    expect(reports[0]).toMatchObject({ level: "emergency", certainty: "suspected" });
    expect(reports.at(-1)).toMatchObject(safety);
    expect(events.at(-1)?.data.safety).toEqual(reports.at(-1));
  });

  test("reports the cautions, with the reason for each, before their text, one delta each", async () => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    const events = await stream({ message: HARMLESS, patientData });
    expect(names(events)).toBe("safety delta delta delta safety delta delta done");
    expect(events[0]?.data).toEqual(NONE);
    expect(events[4]?.data).toEqual({ ...NONE, cautions: CAUTIONS });
    expect(events.at(-1)?.data).toEqual({ success: true, response: textOf(events), safety: events[4]?.data });
  });
});

describe("a retry with the same Idempotency-Key", () => {
  test("streams the events in the same order: safety, fixed text, the model's words, cautions", async () => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    const request = { message: CARDIAC, threadId, patientData };
    const headers = { "idempotency-key": "key-2" };
    const first = await stream(request, headers);
    const again = await stream(request, headers);
    expect(names(again)).toBe("safety delta delta safety delta delta done");
    expect(again[0]?.data).toEqual(CERTAIN);
    expect(again[1]).toEqual(first[1]);
    expect(again[2]?.data.text).toBe("\n\nIbuprofen or amoxicillin.");
    expect(again.at(-1)).toEqual(first.at(-1));
    expect(textOf(again)).toBe(textOf(first));
  });

  test("is a different request without include; with its own key, it reports no safety", async () => {
    const headers = { "idempotency-key": "key-3" };
    await chat({ message: CARDIAC, threadId }, headers);
    expect((await service.chat({ message: CARDIAC, threadId }, headers)).status).toBe(422);
    for (const _ of [1, 2]) {
      const events = await service.stream({ message: CARDIAC, threadId }, { "idempotency-key": "key-4" });
      expect(names(events)).not.toContain("safety");
      expect(events.at(-1)?.data.safety).toBeUndefined();
    }
  });
});

describe("messages that are read back with include=safety", () => {
  const read = async (query = "?include=safety") =>
    (await service.call("GET", `/threads/${threadId}/messages${query}`)).body.messages;

  test.each([
    ["who asked for it", include],
    ["who did not", []],
  ])("say what was found, and the texts about it, also to a caller %s at the time", async (_, asked) => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    await service.chat({ message: CARDIAC, threadId, patientData, include: asked });
    const [{ safety, ...answer }, question] = await read();
    expect(safety).toEqual({
      ...CERTAIN,
      alertText: expect.stringMatching(EMERGENCY_TEXT),
      cautions: CAUTIONS.map((caution) => ({
        ...caution,
        text: expect.stringMatching(`^Caution: .*${caution.drug}`),
      })),
    });
    const texts = safety.cautions.map(({ text }: { text: string }) => text);
    expect(answer.content).toBe([safety.alertText, "Ibuprofen or amoxicillin.", ...texts].join("\n\n"));
    expect(question).not.toHaveProperty("safety");
    expect(await read("")).toEqual([answer, question]);
  });

  test.each([
    ["nothing", HARMLESS, { status: 401 }, NONE],
    ["a suspicion without a verdict", SUSPICION, { status: 401 }, { level: "emergency", certainty: "suspected" }],
    ["a suspicion that the model ruled out", SUSPICION, verdictOf("none"), RULED_OUT],
  ])("have no text of an alert after %s", async (_, message, verdict, safety) => {
    service.model.verdict = () => verdict;
    await service.chat({ message, threadId });
    expect((await read())[0].safety).toMatchObject({ ...safety, alertText: null });
  });

  test("say it for an answer while a person has taken over, but not for what the person writes", async () => {
    await service.call("PUT", `/threads/${threadId}/handoff`, { body: {} });
    await service.chat({ message: CARDIAC, threadId });
    await service.call("POST", `/threads/${threadId}/messages`, { body: { content: "I am Ana.", author: "Ana" } });
    const [person, held] = await read();
    expect(held.safety).toEqual({ ...CERTAIN, alertText: expect.stringMatching(EMERGENCY_TEXT) });
    expect(held.content).toMatch(/\n\nA person has taken over/);
    expect(person).not.toHaveProperty("safety");
  });

  test("do not say it for an opening question, which answers nothing", async () => {
    service.model.script = says("How old are you?");
    const { id } = await service.newPatient({ age: undefined });
    threadId = await service.newThread({ patientId: id });
    const messages = await read();
    expect(messages).toHaveLength(1);
    expect(messages[0]).not.toHaveProperty("safety");
  });

  test.each(["metadata", "safety&include=safety"])("refuse include=%s", async (value) => {
    const { status, body } = await service.call("GET", `/threads/${threadId}/messages?include=${value}`);
    expect([status, body.details]).toEqual([400, [{ path: "include", message: expect.any(String) }]]);
  });
});
