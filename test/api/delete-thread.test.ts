import { describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

describe("DELETE /threads/{id}", () => {
  test("deletes a thread with its messages; a second call is a 404", async () => {
    const threadId = await service.newThread();
    await service.chat({ message: "hello", threadId });

    const deleted = await service.call("DELETE", `/threads/${threadId}`);
    expect(deleted).toMatchObject({
      status: 200,
      body: { success: true, message: "Thread deleted successfully" },
    });

    const again = await service.call("DELETE", `/threads/${threadId}`);
    expect(again.status).toBe(404);
    expect(again.body).toEqual({ error: "Thread not found" });
    expect((await service.call("GET", `/threads/${threadId}`)).status).toBe(404);
  });
});
