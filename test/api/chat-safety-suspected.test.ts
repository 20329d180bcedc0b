import { describe, expect, test } from "@jest/globals";
import { internalError } from "../helpers/database/faults.ts";
import { echo, type ModelReply } from "../helpers/model/scripted-model.ts";
import { textOf } from "../helpers/service/event-stream.ts";
import { setUpServiceWithFaults } from "../helpers/service/service-with-faults.ts";
import { suspectedMessages } from "../helpers/suspected.ts";

const service = setUpServiceWithFaults();

const EMERGENCY_SUSPICIONS = suspectedMessages("emergency", 4);
const CRISIS_SUSPICIONS = suspectedMessages("crisis", 4);
const [EMERGENCY = ""] = EMERGENCY_SUSPICIONS;
const [CRISIS = ""] = CRISIS_SUSPICIONS;
const HARMLESS = "When is a good time of day to take vitamin D?";
const SWEDISH = "Jag har haft ont i magen sedan igår kväll";

const NEUTRAL_START = /^I cannot give you an answer right now\. If this may be an emergency, call 911\./;
const EMERGENCY_TEXT = /^This could be an emergency\. Call 911 now/;

/** More calls than any request makes, including retries. */
const ALL = 50;

const chat = (body: unknown) => service.call("POST", "/chat", { body });
const newThread = async () => await service.newThread();
const countOf = async (threadId: string) => (await service.thread(threadId)).messageCount as number;
const systemPrompt = () => service.prompt()[0]?.content;

describe("a message with a suspected alert", () => {
  test("is answered by the model alone if the model rules the suspicion out", async () => {
    service.model.script = () => ({ content: "[[level: none]]\nI am here." });
    for (const message of [EMERGENCY, CRISIS]) {
      expect((await chat({ message })).body).toEqual({ success: true, response: "I am here." });
      const events = await service.stream({ message });
      expect(events.map(({ event }) => event)).not.toContain("safety");
      expect(textOf(events)).toBe("I am here.");
    }
  });

  test("is described to the model as a suspicion about which the user was shown nothing", async () => {
    await chat({ message: EMERGENCY });
    expect(systemPrompt()).toMatch(/suspects emergency: .* the user has been shown nothing/);
    expect(systemPrompt()).not.toContain("recognised as");
    await chat({ message: HARMLESS });
    expect(systemPrompt()).not.toContain("suspects");
  });

  test("is answered with the fixed text of the alert that the model raises", async () => {
    service.model.script = () => ({ content: "[[level: emergency stroke]]\nI am here." });
    expect((await chat({ message: CRISIS })).body.response).toMatch(/^This could be an emergency.*Note the time/s);
    const events = await service.stream({ message: EMERGENCY });
    expect(events[0]?.data.text).toMatch(EMERGENCY_TEXT);
    expect(textOf(events)).toMatch(/\n\nI am here\.$/);
  });

  const FAILURES: [string, ModelReply][] = [
    ["rejects the key", { status: 401 }],
    ["is overloaded", { status: 503 }],
    ["drops the connection", { drop: true }],
    ["filters the content", { content: "unfinished", finishReason: "content_filter" }],
    ["returns only its level", { content: "[[level: none]]" }],
  ];

  test.each(FAILURES)("is answered with the neutral text, stored as the turn, if the model %s", async (_, reply) => {
    service.model.script = () => reply;
    const threadId = await newThread();
    for (const [index, message] of [EMERGENCY, CRISIS].entries()) {
      const { status, body } = await chat({ message, threadId });
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        response: expect.stringMatching(NEUTRAL_START),
        threadId,
        messageCount: 2 * index + 2,
      });
    }
    service.model.script = echo;
    await chat({ message: HARMLESS, threadId });
    const stored = service.prompt().map(({ content }) => content);
    expect(stored?.[2]).toMatch(NEUTRAL_START);
  });

  test("is answered with the neutral text in a stream too, after what the model has said", async () => {
    service.model.script = () => ({ status: 500 });
    const events = await service.stream({ message: EMERGENCY });
    expect(events.map(({ event }) => event)).toEqual(["delta", "done"]);
    expect(textOf(events)).toMatch(NEUTRAL_START);
    service.model.script = () => ({ content: "[[level: none]]\nSit down and call them", breakAfter: 4 });
    const broken = await service.stream({ message: EMERGENCY });
    expect(broken.at(-1)?.event).toBe("done");
    expect(textOf(broken)).toMatch(/^Sit.*\n\nI cannot give you an answer right now\./);
    expect(textOf(broken)).toBe(broken.at(-1)?.data.response);
  });

  test("is answered with status 200 while the database is down, without claiming to be stored", async () => {
    const threadId = await newThread();
    service.database.fail("Query", internalError, ALL);
    expect((await chat({ message: EMERGENCY, threadId })).body).toEqual({
      success: true,
      response: expect.stringMatching(NEUTRAL_START),
    });
    service.database.reset();
    service.database.fail("TransactWriteItems", internalError, ALL);
    service.model.script = () => ({ status: 401 });
    const { status, body } = await chat({ message: CRISIS, threadId });
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, response: expect.stringMatching(NEUTRAL_START) });
    const events = await service.stream({ message: CRISIS, threadId });
    expect(events.at(-1)).toEqual({ event: "done", data: { success: true, response: textOf(events) } });
    service.database.reset();
    expect(await countOf(threadId)).toBe(0);
  });

  test("does not name the suspicion when the model fails", async () => {
    service.model.script = () => ({ status: 401 });
    const responses = new Set<string>();
    for (const message of [...EMERGENCY_SUSPICIONS, ...CRISIS_SUSPICIONS]) {
      responses.add((await chat({ message })).body.response);
    }
    expect([...responses]).toEqual([expect.stringMatching(NEUTRAL_START)]);
  });
});

describe("a message in a language that the screen cannot read", () => {
  test("is judged by the model", async () => {
    service.model.script = () => ({ content: "[[level: emergency]]\nVänta inte." });
    expect((await chat({ message: SWEDISH })).body.response).toMatch(EMERGENCY_TEXT);
  });

  test.each([SWEDISH, "पेट में दर्द है", "お腹が痛いです"])(
    "gets the neutral text if the model fails: %s",
    async (message) => {
      service.model.script = () => ({ status: 401 });
      const { status, body } = await chat({ message });
      expect(status).toBe(200);
      expect(body.response).toMatch(NEUTRAL_START);
    },
  );

  test("gets the documented error if its answer cannot be stored", async () => {
    const threadId = await newThread();
    service.database.fail("TransactWriteItems", internalError, ALL);
    expect((await chat({ message: SWEDISH, threadId })).status).toBe(500);
  });
});

test("after a certain alert, the model is told about it, and the fixed text is not repeated", async () => {
  const threadId = await newThread();
  await chat({ message: "crushing chest pain and my left arm is numb, sweating", threadId });
  const { response } = (await chat({ message: "ok", threadId })).body;
  expect(response).toBe("answer to: ok");
  expect(systemPrompt()).toContain("An earlier message of this conversation was recognised as emergency: cardiac");
});
