import { describe, expect, test } from "@jest/globals";
import { setUpService, startTestService } from "../helpers/service/service.ts";

const service = setUpService();

describe("GET /threads/{id}", () => {
  test("returns a thread without its messages and metadata", async () => {
    const patient = { name: "Pat Example", age: 40, gender: "female" };
    const patientId = (await service.call("POST", "/patients", { body: patient })).body.patient.id;
    const created = (await service.call("POST", "/threads", { body: { patientId, metadata: { source: "test" } } }))
      .body;
    await service.call("POST", "/chat", { body: { message: "hello", threadId: created.threadId } });

    const reply = await service.call("GET", `/threads/${created.threadId}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      thread: {
        threadId: created.threadId,
        patientId,
        messageCount: 2,
        lastActivity: expect.any(String),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    });
    const { createdAt, lastActivity, expiresAt } = reply.body.thread;
    expect(Date.parse(createdAt) + 30 * 60_000).toBe(Date.parse(created.expiresAt));
    expect(Date.parse(lastActivity)).toBeGreaterThan(Date.parse(createdAt));
    expect(Date.parse(expiresAt)).toBe(Date.parse(lastActivity) + 30 * 60_000);
  });

  test("does not change the thread", async () => {
    const { threadId } = (await service.call("POST", "/threads", { body: {} })).body;
    const first = await service.call("GET", `/threads/${threadId}`);
    expect((await service.call("GET", `/threads/${threadId}`)).body).toEqual(first.body);
  });

  test("does not extend the expiry and returns 404 after it", async () => {
    const brief = await startTestService({ THREAD_IDLE_SECONDS: "1" });
    try {
      const { threadId, expiresAt } = (await brief.call("POST", "/threads", { body: {} })).body;
      let reply = await brief.call("GET", `/threads/${threadId}`);
      for (let tries = 0; tries < 100 && reply.status === 200; tries++) {
        expect(reply.body.thread.expiresAt).toBe(expiresAt);
        await new Promise((resolve) => setTimeout(resolve, 50));
        reply = await brief.call("GET", `/threads/${threadId}`);
      }
      expect(reply.status).toBe(404);
      expect(reply.body).toEqual({ error: "Thread not found or expired" });
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    } finally {
      await brief.stop();
    }
  });

  test.each(["00000", "1234", "123456", "abcde", "%20", "12345%0A", "12%2F45", "٣٤٥٦٧", "thread"])(
    "returns 404 for the id %s",
    async (id) => {
      const reply = await service.call("GET", `/threads/${id}`);
      expect(reply.status).toBe(404);
      expect(reply.body).toEqual({ error: "Thread not found or expired" });
    },
  );
});
