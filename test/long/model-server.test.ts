import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { EMERGENCY_TEXT } from "../helpers/safety-messages.ts";
import { openStream, textOf } from "../helpers/service/event-stream.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";

/**
 * The base URL of a real model's server, such as that of llama.cpp, and the name of the model. What is tested is the
 * protocol and the service's bounds, not what the model says.
 */
const { MODEL_SERVER, MODEL_SERVER_MODEL = "any" } = process.env;

const QUESTIONS = [
  "How far should I walk every day?",
  "And how often?",
  "What is a healthy breakfast?",
  "Why do I need water?",
  "How long should I sleep?",
  "What helps me to fall asleep?",
  "Is coffee in the evening a problem?",
  "How do I begin to run?",
  "What should I do about stiff shoulders?",
  "Thank you. What was my first question?",
];

let service: TestService;
beforeAll(async () => {
  if (MODEL_SERVER === undefined) {
    process.stderr.write("Skipped: MODEL_SERVER, the base URL of a model's server, is not set.\n");
    return;
  }
  service = await startTestService({
    OPENAI_BASE_URL: MODEL_SERVER,
    OPENAI_MODEL: MODEL_SERVER_MODEL,
    MODEL_FIRST_TOKEN_MILLISECONDS: "120000",
    MODEL_TOTAL_MILLISECONDS: "240000",
  });
});
afterAll(() => service?.stop());

test("a real model's server answers ten turns, as JSON and as streams, and an emergency gets its text all the same", async () => {
  if (MODEL_SERVER === undefined) {
    return;
  }
  const threadId = await service.newThread();
  const times: number[] = [];
  for (const [turn, message] of QUESTIONS.entries()) {
    const began = performance.now();
    const answer =
      turn % 2 === 0
        ? (await service.chat({ message, threadId })).body.response
        : textOf(await (await openStream(service, { message, threadId })).rest());
    times.push(Math.round(performance.now() - began));
    expect(answer).toMatch(/\S/);
    expect(answer).not.toMatch(/<think|<\|channel|\[\[level/);
    expect((await service.thread(threadId)).messageCount).toBe(2 * turn + 2);
  }
  const alarm = { message: "I have crushing chest pain and my left arm is numb", threadId };
  expect((await service.chat(alarm)).body.response).toMatch(EMERGENCY_TEXT);
  process.stderr.write(`Milliseconds of each turn: ${times.join(", ")}\n`);
}, 3_600_000);
