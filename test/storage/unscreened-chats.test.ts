import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { TENANT } from "../helpers/caller.ts";
import { newThread } from "../helpers/database/database.ts";
import { setUpStorage } from "../helpers/database/storage.ts";
import { echo, verdictOf } from "../helpers/model/scripted-model.ts";
import "../helpers/service/help-lines.ts";

// The screen fails on no message that anybody knows, so it is replaced.
const others = await import("../../packages/safety/screen.ts");
const fail = () => {
  throw new Error("the screen failed");
};
jest.unstable_mockModule("../../packages/safety/screen.ts", () => ({ ...others, readMessage: fail, screen: fail }));
const { setUpChats } = await import("../helpers/database/chats.ts");

const storage = setUpStorage();
const chats = setUpChats();
let errors: jest.SpiedFunction<typeof console.error>;
beforeEach(() => {
  errors = jest.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  Object.assign(chats.model, { script: echo });
});

const MESSAGE = "What can I eat for breakfast?";

async function chatOnThread() {
  const { threadId } = newThread();
  await storage.threads.insertThread(TENANT, { ...newThread(), threadId });
  const reply = await chats.chat({ message: MESSAGE, threadId });
  const items = await storage.threadItems(threadId);
  return { reply, turns: items.filter(({ sk }) => String(sk).startsWith("turn#")) };
}

test("a message that the screen fails on is judged by the model, answered and stored, and the failure is logged", async () => {
  const { reply, turns } = await chatOnThread();
  expect([reply.response, turns.length]).toEqual([`answer to: ${MESSAGE}`, 1]);
  expect(JSON.stringify(errors.mock.calls)).toMatch(/"event":"chat-step-failed".*"step":"screen"/);
  chats.model.verdict = () => verdictOf("emergency");
  expect((await chatOnThread()).reply.response).toMatch(/^This could be an emergency/);
});

test("with the model down, whoever wrote it is told whom to call, and the turn is stored", async () => {
  Object.assign(chats.model, { script: () => ({ status: 503 }), verdict: undefined });
  const { reply, turns } = await chatOnThread();
  expect([reply.response, turns.length]).toEqual([expect.stringContaining("911"), 1]);
});
