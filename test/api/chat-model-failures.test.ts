import { describe, expect, test } from "@jest/globals";
import { completion, echo, type ModelReply } from "../helpers/model/scripted-model.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const body = (value: unknown): ModelReply => ({ raw: JSON.stringify(value) });

const FAILURES: [name: string, reply: ModelReply][] = [
  ["answers 401", { status: 401 }],
  ["answers 500", { status: 500 }],
  ["answers 429", { status: 429 }],
  ["answers with something other than JSON", { raw: "<html>Bad gateway</html>" }],
  ["answers JSON without choices", body({ id: "x", object: "chat.completion" })],
  ["answers with an empty list of choices", body({ ...completion("text"), choices: [] })],
  ["answers null", body(null)],
  ["returns an empty answer", { content: "" }],
  ["returns only whitespace", { content: " \n" }],
  ["returns null as the answer", body(completion(null))],
  ["returns a filtered answer", body(completion("half an ans", "content_filter"))],
  [
    "refuses",
    body({ ...completion(null), choices: [{ finish_reason: "stop", message: { content: null, refusal: "no" } }] }),
  ],
  ["drops the connection", { drop: true }],
];

describe("a model that fails", () => {
  test.each(FAILURES)("%s: the chat is a 500, the thread is unchanged, and the next chat works", async (_, reply) => {
    service.model.script = echo;
    const { threadId } = (await service.call("POST", "/threads", { body: {} })).body;
    await service.call("POST", "/chat", { body: { message: "before", threadId } });
    const before = (await service.call("GET", `/threads/${threadId}`)).body;

    service.model.script = () => reply;
    const failed = await service.call("POST", "/chat", { body: { message: "lost", threadId } });
    expect(failed.status).toBe(500);
    expect(failed.body).toEqual({ success: false, error: "Failed to process chat request" });
    expect((await service.call("GET", `/threads/${threadId}`)).body).toEqual(before);

    service.model.script = echo;
    const next = await service.call("POST", "/chat", { body: { message: "after", threadId } });
    expect(next.body).toEqual({ success: true, response: "answer to: after", threadId, messageCount: 4 });
    const context = service.model.requests
      .at(-1)
      ?.body.messages.slice(1)
      .map(({ content }) => content);
    expect(context).toEqual(["before", "answer to: before", "after"]);
  });

  test.each([429, 500, 503])("once with %i and then answers: the chat succeeds", async (status) => {
    const replies: ModelReply[] = [{ status, headers: { "retry-after-ms": "1" } }, { content: "here I am" }];
    service.model.script = () => replies.shift() ?? { status: 500 };
    const reply = await service.call("POST", "/chat", { body: { message: "hello" } });
    expect(reply.status).toBe(200);
    expect(reply.body.response).toBe("here I am");
  });
});
