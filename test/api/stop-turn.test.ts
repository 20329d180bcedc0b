import { beforeEach, describe, expect, test } from "@jest/globals";
import { addClients } from "../helpers/service/clients.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { setUpService } from "../helpers/service/service.ts";

const CUT = "This answer was stopped.";
const ALARM = "I have crushing chest pain and my left arm is numb";

const service = setUpService();
let threadId: string;
beforeEach(async () => {
  threadId = await service.newThread();
  service.model.requests.length = 0;
  service.model.script = () => ({ hang: true });
});

const withKey = (key: string) => ({ "idempotency-key": key });
const chat = (message: string, key: string) =>
  service.chat({ message, threadId, include: ["parts", "safety"] }, withKey(key));
const stop = (key: string, id = threadId) => service.call("DELETE", `/threads/${id}/turns/${encodeURIComponent(key)}`);
const messages = async () => (await service.call("GET", `/threads/${threadId}/messages`)).body.messages;

/** Waits until the model has been asked. */
async function asked(count = 1): Promise<void> {
  while (service.model.requests.length < count) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("DELETE /threads/{id}/turns/{key}", () => {
  test("ends the model's request, and the chat responds with what it stores: that the answer was stopped", async () => {
    const answer = chat("How much should I walk?", "key-1");
    await asked();
    expect((await stop("key-1")).body).toEqual({ success: true, turn: "stopping" });
    const { status, body } = await answer;
    expect([status, body.response, body.messageCount]).toEqual([200, CUT, 2]);
    expect(body.parts).toEqual([{ kind: "cut", text: CUT }]);
    expect((await messages())[0]).toMatchObject({ role: "assistant", content: CUT });
    expect((await stop("key-1")).body).toEqual({ success: true, turn: "stopped" });
  });

  test("keeps the words that a stream has sent", async () => {
    const beforeWord = (index: number) => (index < 2 ? Promise.resolve() : new Promise(() => {}));
    service.model.script = () => ({ content: "You should walk", beforeWord });
    const stream = await openStream(service, { message: "How much should I walk?", threadId }, withKey("key-2"));
    await asked();
    await stop("key-2");
    const text = textOf(await stream.rest());
    expect(text.replace(/\s+/g, " ")).toBe(`You should ${CUT}`);
    expect((await messages())[0].content).toBe(text);
  });

  test("leaves the thread usable at once, and a retry of the stopped chat gets what was stored", async () => {
    const answer = chat("How much should I walk?", "key-3");
    await asked();
    await stop("key-3");
    const first = (await answer).body;
    service.model.script = () => ({ content: "Another answer" });
    expect((await chat("And how often?", "key-4")).body).toMatchObject({ response: "Another answer", messageCount: 4 });
    const again = await chat("How much should I walk?", "key-3");
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first, "true"]);
    expect(await messages()).toHaveLength(4);
  });

  test("of a turn that has not begun stops it when it does", async () => {
    expect((await stop("key-5")).body).toEqual({ success: true, turn: "stopping" });
    expect((await chat("How much should I walk?", "key-5")).body.response).toBe(CUT);
    service.model.script = () => ({ content: "All of the answer" });
    await stop("key-6");
    const quick = await chat("How much should I walk?", "key-6");
    expect(quick.body.parts.at(-1)).toEqual({ kind: "cut", text: CUT });
  });

  test("of an answer that is stored is a 409, and the answer stays", async () => {
    service.model.script = () => ({ content: "All of the answer" });
    await chat("How much should I walk?", "key-7");
    const late = await stop("key-7");
    expect([late.status, late.body]).toEqual([409, { error: "The answer has already been given" }]);
    expect(late.headers.get("x-error-code")).toBe("turn-stored");
    expect((await messages())[0].content).toBe("All of the answer");
  });

  test("takes back no alert, however certain it is", async () => {
    const answer = chat(ALARM, "key-8");
    await asked();
    await stop("key-8");
    const { body } = await answer;
    expect(body.safety.level).toBe("emergency");
    expect(body.parts.map(({ kind }: { kind: string }) => kind)).toEqual(["alert", "cut"]);
    expect((await messages())[0].content).toBe(body.response);
  });

  test("in what is likely a danger, shows the alert, because no model has decided otherwise", async () => {
    service.model.verdict = () => ({ hang: true });
    const answer = chat("My chest feels a bit tight today", "key-9");
    await asked();
    await stop("key-9");
    const { parts, response } = (await answer).body;
    expect(parts.map(({ kind }: { kind: string }) => kind)).not.toEqual(["cut"]);
    expect(response).toContain("911");
  });

  test("is no failure of the model in logs and metrics", async () => {
    const before = service.logs.length;
    const answer = chat("How much should I walk?", "key-10");
    await asked();
    await stop("key-10");
    await answer;
    expect(service.logs.slice(before).filter((line) => /model-failure|ModelFailure/.test(line))).toEqual([]);
  });

  test("reaches neither another client's turn nor a thread that is gone, and rejects what is no key", async () => {
    await addClients(service, { other: { keys: ["key-of-other"] } });
    const answer = chat("How much should I walk?", "key-11");
    await asked();
    const ofOther = await service.call("DELETE", `/threads/${threadId}/turns/key-11`, { key: "key-of-other" });
    expect(ofOther.status).toBe(404);
    expect((await stop("key-11")).body.turn).toBe("stopping");
    await answer;
    expect((await stop("key-11", "00000")).status).toBe(404);
    expect((await stop("a b")).body.error).toBe("key must have 1 to 255 printable ASCII characters");
    await service.call("DELETE", `/threads/${threadId}`);
    expect((await stop("key-11")).status).toBe(404);
  });
});
