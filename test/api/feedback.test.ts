import { beforeEach, describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();
let threadId: string;
let messageId: string;
beforeEach(async () => {
  threadId = await service.newThread();
  messageId = await newAnswer();
});

/** Sends a message on the thread, and returns the id of the answer. */
async function newAnswer(message = "hello"): Promise<string> {
  return (await service.chat({ message, threadId, include: ["ids"] })).body.ids.assistant;
}

const path = (id = messageId) => `/threads/${threadId}/messages/${id}/feedback`;
const give = (body: unknown, id = messageId) => service.call("PUT", path(id), { body });
const count = async (query = "") => (await service.call("GET", `/feedback${query}`)).body.groups;

describe("PUT and DELETE /threads/{id}/messages/{messageId}/feedback", () => {
  test("store, replace and withdraw feedback, which the export contains; the thread's lifetime stays", async () => {
    const { id } = await service.newPatient();
    threadId = await service.newThread({ patientId: id });
    messageId = await newAnswer();
    const { expiresAt } = await service.thread(threadId);
    await give({ rating: "good" });
    const { status, body } = await give({ rating: "bad", reasons: ["unclear"], comment: "What is that?" });
    expect(status).toBe(200);
    const stored = { rating: "bad", reasons: ["unclear"], comment: "What is that?", updatedAt: expect.any(String) };
    expect(body).toEqual({ success: true, feedback: stored });
    const exported = async () => (await service.call("GET", `/patients/${id}/export`)).body.threads[0].messages;
    expect((await exported())[0]).toMatchObject({ role: "assistant", feedback: stored });
    expect((await exported())[1]).not.toHaveProperty("feedback");
    expect((await service.call("DELETE", path())).body).toEqual({ success: true, message: "Feedback withdrawn" });
    expect((await exported())[0]).not.toHaveProperty("feedback");
    expect(await service.thread(threadId)).toMatchObject({ expiresAt, messageCount: 2 });
  });

  test.each([
    [{}, "rating"],
    [{ rating: "great" }, "rating"],
    [{ rating: "bad", reasons: ["boring"] }, "reasons.0"],
    [{ rating: "bad", reasons: "unclear" }, "reasons"],
    [{ rating: "bad", comment: "x".repeat(2_001) }, "comment"],
  ])("reject %j", async (body, field) => {
    const reply = await give(body);
    expect(reply.status).toBe(400);
    expect(reply.body.details).toMatchObject([{ path: field }]);
  });

  test("find no answer under another id, and no thread after its end", async () => {
    const user = messageId.replace(/1$/, "0");
    const ofAnotherThread = messageId.replace(/^\w+/, "another");
    for (const id of [user, `${messageId}1`, ofAnotherThread, "x", "%20"]) {
      for (const method of ["PUT", "DELETE"]) {
        const { status, headers } = await service.call(method, path(id), { body: { rating: "good" } });
        expect([status, headers.get("x-error-code")]).toEqual([404, "answer-not-found"]);
      }
    }
    await service.call("DELETE", `/threads/${threadId}`);
    expect((await give({ rating: "good" })).headers.get("x-error-code")).toBe("thread-not-found");
  });
});

describe("GET /feedback", () => {
  test("counts by the chosen fields, rounded down to a multiple of 5, and hides smaller groups", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const ids = [messageId];
    while (ids.length < 12) {
      ids.push(await newAnswer());
    }
    for (const [index, id] of ids.entries()) {
      const reasons = ["unsafe", "unclear", "other"].slice(index < 5 ? 0 : 1, index < 4 ? 3 : 2);
      await give(index < 7 ? { rating: "bad", reasons } : { rating: "good" }, id);
    }
    const all = { count: 10, reasons: { unsafe: 5, unclear: 5 } };
    expect(await count("?by=model")).toEqual([{ model: "gpt-6-luna", ...all }]);
    expect(await count(`?by=language,level,length,day&from=${today}`)).toEqual([
      { day: today, level: "none", language: "en", length: "short", ...all },
    ]);
    const instructions = expect.stringMatching(/^[0-9a-f]{8}$/);
    const bad = { rating: "bad", model: "gpt-6-luna", instructions, count: 5, reasons: all.reasons };
    const good = { rating: "good", model: "gpt-6-luna", instructions, count: 5, reasons: {} };
    expect(await count()).toEqual([bad, good]);
    await service.call("DELETE", path(ids.at(-1)));
    expect(await count()).toEqual([bad]);
    expect(await count("?from=1990-01-01&to=1990-01-31")).toEqual([]);
  });

  test("counts the last 30 days without a period", async () => {
    const { from, to } = (await service.call("GET", "/feedback")).body;
    expect(Date.parse(to) - Date.parse(from)).toBe(30 * 24 * 60 * 60 * 1000);
    expect(Date.now() - Date.parse(to)).toBeLessThan(2 * 24 * 60 * 60 * 1000);
  });

  test.each([
    ["?to=2026-02-30", "to"],
    ["?from=2026-03-02&to=2026-03-01", "from"],
    ["?to=2026-03-01&to=2026-03-02", "to"],
    ["?by=", "by"],
    ["?by=model&by=rating", "by"],
  ])("rejects %s", async (query, field) => {
    const { status, body } = await service.call("GET", `/feedback${query}`);
    expect([status, body.details[0].path]).toEqual([400, field]);
  });
});
