import { describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

describe("GET /threads/{id}", () => {
  test("returns a thread without its messages and metadata", async () => {
    const patient = { name: "Pat Example", age: 40, gender: "female" };
    const patientId = (await service.call("POST", "/patients", { body: patient })).body.patient.id;
    const created = (await service.call("POST", "/threads", { body: { patientId, metadata: { source: "test" } } }))
      .body;
    await service.chat({ message: "hello", threadId: created.threadId });

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
    const threadId = await service.newThread();
    const first = await service.call("GET", `/threads/${threadId}`);
    expect((await service.call("GET", `/threads/${threadId}`)).body).toEqual(first.body);
  });
});
