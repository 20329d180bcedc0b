import { beforeEach, describe, expect, test } from "@jest/globals";
import { setUpService } from "../helpers/service/service.ts";

/** The instructions take about 500 of these tokens. */
const CONTEXT_TOKENS = 1_700;

const service = setUpService({ MODEL_CONTEXT_TOKENS: String(CONTEXT_TOKENS) });
beforeEach(() => {
  service.model.script = () => ({ content: "fine" });
});

/** A text of this many estimated tokens. */
const tokens = (count: number, letter = "x") => letter.repeat(4 * count);

let requests = 0;

/** Sends a chat, and returns the prompt and the request's log line. */
async function chat(body: object) {
  const id = `request-${requests++}`;
  const reply = await service.chat(body, { "x-request-id": id });
  expect(reply.status).toBe(200);
  const messages = service.prompt();
  return {
    history: messages.slice(1, -1).map(({ content }) => content),
    message: messages.at(-1)?.content,
    system: messages[0]?.content,
    record: service.recordSent(),
    line: (await service.linesOf(id)).at(-1),
  };
}

describe("a conversation that exceeds the model's context", () => {
  test("is sent without its oldest messages, and their number is logged", async () => {
    const threadId = await service.newThread();
    for (const letter of ["a", "b", "c", "d", "e"]) {
      await chat({ message: tokens(280, letter), threadId });
    }
    const { history, line } = await chat({ message: "last", threadId });
    // Besides the instructions, three questions of 280 tokens fit, and the answer to the one before them.
    expect(history).toEqual(["fine", ...["c", "d", "e"].flatMap((letter) => [tokens(280, letter), "fine"])]);
    expect(line).toMatchObject({ omittedMessages: 3 });
    expect((await service.thread(threadId)).messageCount).toBe(12);
  });
});

describe("however much must be omitted", () => {
  test("the allergies of patientData are sent too, and short facts take precedence over long ones", async () => {
    const patientData = { age: 40, category_note: tokens(2_000), allergies: [`latex ${tokens(300)}`] };
    const { record, line } = await chat({ message: "May I?", patientData });
    expect(record).toEqual({ age: 40, allergies: patientData.allergies });
    expect(line).toMatchObject({ omittedFacts: 1 });
  });
});
