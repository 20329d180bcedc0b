import { describe, expect, test } from "@jest/globals";
import { internalError } from "../helpers/database/faults.ts";
import { EMERGENCIES } from "../helpers/emergencies.ts";

import { textOf } from "../helpers/service/event-stream.ts";
import { setUpServiceWithFaults } from "../helpers/service/service-with-faults.ts";

const service = setUpServiceWithFaults();

const CARDIAC = "crushing chest pain and my left arm is numb, sweating";
const HARMLESS = "When is a good time of day to take vitamin D?";
const FIXED_TEXT = /^This could be an emergency\. Call 911 now/;

const chat = (body: unknown) => service.call("POST", "/chat", { body });
const newThread = async () => await service.newThread();

/** More calls than any request makes, including retries. */
const ALL = 50;

describe("a chat while the database fails", () => {
  test("answers an emergency in full with status 200 when storing the turn fails, without claiming to have stored it", async () => {
    const threadId = await newThread();
    service.database.fail("TransactWriteItems", internalError, ALL);
    const { status, body } = await chat({ message: CARDIAC, threadId });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["success", "response"]);
    expect(body.response).toMatch(FIXED_TEXT);
    expect(body.response).toMatch(/answer to: crushing chest pain/);
    service.database.reset();
    expect((await service.thread(threadId)).messageCount).toBe(0);
  });

  test("answers an emergency with the fixed text, without the model, when reading the thread fails", async () => {
    const threadId = await newThread();
    service.database.fail("Query", internalError, ALL);
    const asked = service.model.requests.length;
    const { status, body } = await chat({ message: CARDIAC, threadId });
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, response: expect.stringMatching(FIXED_TEXT) });
    expect(service.model.requests).toHaveLength(asked);
  });

  test("answers an emergency with the fixed text, and stores it, when reading the patient fails", async () => {
    const patient = { name: "Pat Example", age: 40, gender: "female" };
    const { id } = (await service.call("POST", "/patients", { body: patient })).body.patient;
    const threadId = await newThread();
    service.database.fail("GetItem", internalError, ALL);
    const { status, body } = await chat({ message: CARDIAC, threadId, patientId: id });
    expect(status).toBe(200);
    expect(body).toMatchObject({ threadId, messageCount: 2, response: expect.stringMatching(FIXED_TEXT) });
  });

  test("ends the stream of an emergency with a done event that contains the streamed text", async () => {
    const threadId = await newThread();
    service.database.fail("TransactWriteItems", internalError, ALL);
    const events = await service.stream({ message: CARDIAC, threadId });
    expect(events.at(-1)).toEqual({ event: "done", data: { success: true, response: textOf(events) } });
    expect(textOf(events)).toMatch(FIXED_TEXT);
  });

  test("answers all forty emergencies and crises with status 200 and whom to call, even if the model fails too", async () => {
    const threadId = await newThread();
    service.model.script = () => ({ status: 401 });
    const replies: [string, number, boolean][] = [];
    for (const message of EMERGENCIES) {
      service.database.reset();
      service.database.fail("Query", internalError, ALL);
      service.database.fail("TransactWriteItems", internalError, ALL);
      const { status, body } = await chat({ message, threadId });
      replies.push([message, status, /\b911\b|\b988\b/.test(body.response) && body.threadId === undefined]);
    }
    expect(replies).toEqual(EMERGENCIES.map((message) => [message, 200, true]));
  });

  test("returns the documented error for a harmless message", async () => {
    const threadId = await newThread();
    service.database.fail("TransactWriteItems", internalError, ALL);
    const { status, body } = await chat({ message: HARMLESS, threadId });
    expect(status).toBe(500);
    expect(body).toEqual({ success: false, error: "Failed to process chat request" });
  });

  test("still returns the documented 404 for an emergency on a thread that does not exist", async () => {
    const threadId = await newThread();
    await service.call("DELETE", `/threads/${threadId}`);
    expect((await chat({ message: CARDIAC, threadId })).status).toBe(404);
  });
});
