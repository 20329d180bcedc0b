import { beforeEach, describe, expect, test } from "@jest/globals";
import { HealthAssistantClient } from "conversational-health-assistant-service/client";
import { collect } from "../helpers/collect.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";
import { suspectedMessages } from "../helpers/suspected.ts";

const service = setUpService();
let threadId: string;
beforeEach(async () => {
  threadId = await service.newThread();
});

const CARDIAC = "crushing chest pain and my left arm is numb, sweating";
const [SUSPECTED = ""] = suspectedMessages("emergency", 1);
const HARMLESS = "When is a good time of day to take vitamin D?";
const EMERGENCY_TEXT = /^This could be an emergency\. Call 911 now/;
const include = ["safety"];
const patientData = { allergies: ["penicillin"], medications: [{ name: "warfarin" }] };

const NONE = { level: "none", category: null, certainty: null, decidedBy: null, cautions: [] };
const CERTAIN = { ...NONE, level: "emergency", category: "cardiac", certainty: "certain", decidedBy: "rule" };
const CAUTIONS = [
  { kind: "allergy", drug: "amoxicillin", because: "penicillin" },
  { kind: "interaction", drug: "ibuprofen", because: "warfarin" },
];

const chat = (body: object, headers: Record<string, string> = {}) => service.chat({ include, ...body }, headers);
const stream = async (body: object, headers: Record<string, string> = {}) =>
  (await openStream(service, { include, ...body }, headers)).rest();
const names = (events: { event: string }[]) => events.map(({ event }) => event).join(" ");
const says = (content: string) => () => ({ content });

describe("include: safety", () => {
  test("reports that nothing was found", async () => {
    expect((await chat({ message: HARMLESS })).body.safety).toEqual(NONE);
  });

  test("reports a certain alert, decided by a rule", async () => {
    const { body } = await chat({ message: CARDIAC, threadId });
    expect(body.safety).toEqual(CERTAIN);
    expect(Object.keys(body).toSorted()).toEqual(["messageCount", "response", "safety", "success", "threadId"]);
  });

  test("reports a suspected alert, or the model's verdict once there is one", async () => {
    const verdicts: [string, object][] = [
      ["I am here.", { level: "emergency", certainty: "suspected" }],
      ["[[level: none]]\nI am here.", { ...NONE, decidedBy: "model" }],
      ["[[level: emergency stroke]]\nI am here.", { ...CERTAIN, category: "stroke", decidedBy: "model" }],
      ["[[level: crisis]]\nI am here.", { ...CERTAIN, level: "crisis", category: null, decidedBy: "model" }],
    ];
    for (const [answer, safety] of verdicts) {
      service.model.script = says(answer);
      expect((await chat({ message: SUSPECTED })).body.safety).toMatchObject(safety);
    }
    service.model.script = () => ({ status: 401 });
    expect((await chat({ message: SUSPECTED })).body.safety).toMatchObject({ certainty: "suspected" });
  });

  test("lists the cautions, with the reason in the record for each drug", async () => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    const { body } = await chat({ message: HARMLESS, patientData });
    expect(body.safety).toEqual({ ...NONE, cautions: CAUTIONS });
  });

  test("does not name pregnancy when the record rules it out", async () => {
    service.model.script = says("I am here.");
    const message = "I'm 36 weeks pregnant and the umbilical cord is hanging out";
    expect((await chat({ message })).body).toMatchObject({
      response: expect.stringContaining("vagina"),
      safety: { category: "pregnancy", certainty: "certain" },
    });
    for (const facts of [{ gender: "male" }, { age: 61 }]) {
      const { body } = await chat({ message, patientData: facts });
      expect(body.response).toMatch(EMERGENCY_TEXT);
      expect(body.response).not.toMatch(/pregnan|vagina/i);
      expect(body.safety).toMatchObject({ level: "emergency", category: null, certainty: "certain" });
    }
  });

  test.each([{ include: "safety" }, { include: ["everything"] }])("accepts no other value: %j", async (wrong) => {
    const { status, body } = await service.chat({ message: HARMLESS, ...wrong });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, details: [{ path: expect.stringMatching(/^include/) }] });
  });

  test("may be empty; the response then has no safety field", async () => {
    const { body } = await chat({ message: CARDIAC, include: [] });
    expect(Object.keys(body).toSorted()).toEqual(["response", "success"]);
  });
});

describe("without include", () => {
  test.each([CARDIAC, SUSPECTED, HARMLESS])("the response has exactly the specified fields: %s", async (message) => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    const { body } = await service.chat({ message, threadId, patientData });
    expect(Object.keys(body).toSorted()).toEqual(["messageCount", "response", "success", "threadId"]);
    const events = await service.stream({ message, threadId, patientData });
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["delta", "done"]));
    expect(Object.keys(events.at(-1)?.data).toSorted()).toEqual(["messageCount", "response", "success", "threadId"]);
  });
});

describe("a stream with include", () => {
  test("reports a certain alert before the fixed text, which is the next delta, and before the model's first word", async () => {
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
    expect(names(events)).toBe("delta delta delta done");
    expect(events.at(-1)?.data.safety).toEqual(CERTAIN);
  });

  test("reports a suspected alert immediately, then the model's verdict", async () => {
    service.model.script = says("[[level: emergency stroke]]\nWait.");
    const events = await stream({ message: SUSPECTED });
    expect(names(events)).toBe("safety safety delta delta done");
    expect(events[0]?.data).toMatchObject({ level: "emergency", certainty: "suspected" });
    expect(events[1]?.data).toMatchObject({ category: "stroke", certainty: "certain", decidedBy: "model" });
    expect(events[2]?.data.text).toMatch(EMERGENCY_TEXT);
    service.model.script = says("[[level: none]]\nWait.");
    const ruledOut = await stream({ message: SUSPECTED });
    expect(names(ruledOut)).toBe("safety delta safety done");
    expect(ruledOut[2]?.data).toEqual({ ...NONE, decidedBy: "model" });
    expect(ruledOut[3]?.data.safety).toEqual({ ...NONE, decidedBy: "model" });
  });

  test("reports the cautions before their text, one delta each", async () => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    const events = await stream({ message: HARMLESS, patientData });
    expect(names(events)).toBe("safety delta delta delta safety delta delta done");
    expect(events[0]?.data).toEqual(NONE);
    expect(events.at(-1)?.data.safety).toEqual({ ...NONE, cautions: CAUTIONS });
    expect(textOf(events)).toBe(events.at(-1)?.data.response);
  });

  test("is a plain error when the model fails on a harmless message", async () => {
    service.model.script = () => ({ status: 401 });
    const { status, body } = await chat({ message: HARMLESS }, { accept: "text/event-stream" });
    expect(status).toBe(500);
    expect(body).toEqual({ success: false, error: "Failed to process chat request" });
  });

  test("ends with the neutral text when the model fails on a suspected alert", async () => {
    service.model.script = () => ({ status: 401 });
    const events = await stream({ message: SUSPECTED });
    expect(names(events)).toBe("safety delta done");
    expect(events.at(-1)?.data.safety).toMatchObject({ certainty: "suspected" });
  });

  test("is typed in the client", async () => {
    const client = new HealthAssistantClient({ baseUrl: service.baseUrl, apiKey: API_KEY });
    const events = await collect(client.streamChat({ message: CARDIAC, include: ["safety"] }));
    expect(events[0]).toEqual({ event: "safety", safety: CERTAIN });
    const { safety } = await client.chat({ message: HARMLESS, include: ["safety"] });
    expect(safety).toEqual(NONE);
  });
});

describe("a retry with the same Idempotency-Key", () => {
  test("returns the same safety field, the model's verdict included, without calling the model", async () => {
    service.model.script = says("[[level: emergency stroke]]\nIbuprofen or amoxicillin.");
    const request = { message: SUSPECTED, threadId, patientData };
    const first = await chat(request, { "idempotency-key": "key-1" });
    expect(first.body.safety).toMatchObject({ category: "stroke", decidedBy: "model", cautions: CAUTIONS });
    service.model.script = says("another answer");
    expect((await chat(request, { "idempotency-key": "key-1" })).body).toEqual(first.body);
  });

  test("streams the events in the same order: safety, fixed text, the model's words, cautions", async () => {
    service.model.script = says("Ibuprofen or amoxicillin.");
    const request = { message: CARDIAC, threadId, patientData };
    const headers = { "idempotency-key": "key-2" };
    const first = await stream(request, headers);
    const again = await stream(request, headers);
    expect(names(again)).toBe("safety delta delta safety delta done");
    expect(again[0]?.data).toEqual(CERTAIN);
    expect(again[1]).toEqual(first[1]);
    expect(again[2]?.data.text).toBe("\n\nIbuprofen or amoxicillin.");
    expect(again[4]?.data.text).toMatch(/^\n\nCaution: .*\n\nCaution: /s);
    expect(again.at(-1)).toEqual(first.at(-1));
    expect(textOf(again)).toBe(textOf(first));
  });

  test("without include is a different request, and with its own key it reports no safety", async () => {
    const headers = { "idempotency-key": "key-3" };
    await chat({ message: CARDIAC, threadId }, headers);
    const other = await service.chat({ message: CARDIAC, threadId }, headers);
    expect(other.status).toBe(422);
    for (const _ of [1, 2]) {
      const events = await service.stream({ message: CARDIAC, threadId }, { "idempotency-key": "key-4" });
      expect(names(events)).not.toContain("safety");
      expect(events.at(-1)?.data.safety).toBeUndefined();
    }
  });
});
