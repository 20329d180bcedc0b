import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type OfflineModel, startOfflineModel } from "../../../local/offline-model.ts";
import type { Finding } from "../../../packages/safety/alerts.ts";
import { levelMarker, screenNotice } from "../../../shared/chat/instructions.ts";
import { readVerdict } from "../../../shared/model/level-words.ts";
import { type Prompt, withNoticesFirst } from "../../../shared/model/prompt.ts";

let model: OfflineModel;
beforeAll(async () => {
  model = await startOfflineModel();
});
afterAll(() => model.stop());

async function ask(
  content: string,
  { messages = [], ...format }: { messages?: object[]; response_format?: object } = {},
): Promise<string> {
  return await answerTo([...messages, { role: "user", content }], format);
}

async function answerTo(messages: object[], format = {}): Promise<string> {
  const response = await fetch(`${model.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "offline", messages, ...format }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
}

test("answers from its script, and shows what a real model would have received", async () => {
  expect(await ask("What helps against a headache?")).toContain("A scripted answer: no AI is connected.");
  expect(model.lastMessages()).toMatchObject([{ content: "What helps against a headache?" }]);
  model.forget();
  expect(model.lastMessages()).toEqual([]);
});

const VERDICT = { response_format: { type: "json_schema", json_schema: {} } };
const aboutLast = (content: string) =>
  JSON.stringify([
    { role: "user", content: "I want to kill myself" },
    { role: "user", content },
  ]);

test("gives no verdict on a suspicion, because it cannot judge a message", async () => {
  await ask("Hello");
  const reply = await ask(aboutLast("Which vitamins do I need to die?"), VERDICT);
  expect(readVerdict(reply)).toBeUndefined();
  expect(model.lastMessages()).toMatchObject([{ content: "Hello" }]);
});

test("gives a verdict on its own questions, of which it is known that they show no danger", async () => {
  const reply = await ask(aboutLast("Which vitamins do I need in winter?"), VERDICT);
  expect(readVerdict(reply)).toEqual({ alert: undefined, named: false });
});

test.each([
  ["Hello", "Hello!"],
  ["Thanks.", "You are welcome."],
  ["¡Hola!", "¡Hola!"],
  ["Bonjour", "Bonjour !"],
  ["谢谢！", "不客气。"],
  ["شكرا", "على الرحب"],
])("answers %s, which shows no danger even after a crisis", async (message, answer) => {
  expect(await ask(message)).toContain(answer);
  expect(readVerdict(await ask(aboutLast(message), VERDICT))).toEqual({ alert: undefined, named: false });
});

test.each(["ok", "Hello, I want to die", "Thanks for everything", "Gracias por todo", "I threw up", "ciao"])(
  "gives no verdict on more than a greeting or thanks: %s",
  async (message) => {
    expect(readVerdict(await ask(aboutLast(message), VERDICT))).toBeUndefined();
  },
);

const STROKE: Finding = {
  alert: { level: "emergency", category: "stroke" },
  certainty: "certain",
  decidedBy: "rule",
  categoryCertain: true,
  evidence: [],
};

const system = (content = "") => ({ role: "system" as const, content });

const ABOUT_LAST = system(screenNotice({ language: "en", finding: STROKE }, "Call 911"));

test.each(["It is the worst headache of my life", "Can I take ibuprofen against it?", "My mouth is numb, hello?"])(
  "answers nothing below an alert that would contradict it: %s",
  async (content) => {
    expect(await answerTo([system("Rules"), { role: "user", content }, ABOUT_LAST])).toContain(
      "]]\nNo AI is connected",
    );
  },
);

test("says what to do while waiting only to somebody whose heart the alert is about", async () => {
  const question = { role: "user", content: "My chest hurts" };
  const cardiac: Finding = { ...STROKE, alert: { level: "emergency", category: "cardiac" } };
  const about = (finding: Finding) => system(screenNotice({ language: "en", finding }, "Call 911"));
  expect(await answerTo([question, about(cardiac)])).toContain("stay on the phone with the dispatcher");
  expect(await answerTo([question, ABOUT_LAST])).not.toContain("dispatcher");
  expect(await answerTo([question, about({ ...cardiac, categoryCertain: false })])).not.toContain("dispatcher");
  expect(await answerTo([{ role: "user", content: "No chest pain, just a cough" }])).not.toContain("dispatcher");
});

test("offers no other questions where nobody judged a suspicion", async () => {
  const suspected = screenNotice({ language: "en", finding: { ...STROKE, certainty: "likely" } }, "");
  const answer = await answerTo([system("Rules"), { role: "user", content: "My face feels odd" }, system(suspected)]);
  expect(answer).toContain("nobody has judged whether this is an emergency");
});

test.each([
  ["in the message", [], [ABOUT_LAST]],
  ["in an earlier answer", [{ role: "assistant" as const, content: `${levelMarker(STROKE.alert)}\nCall 911` }], []],
  [
    "in an earlier message that is no longer in the prompt",
    [],
    [system(screenNotice({ language: "en", finding: undefined, earlierAlert: STROKE.alert }, ""))],
  ],
])("offers no other questions after an alert %s", async (_, history, notice) => {
  const prompt: Prompt = [system("Rules"), ...history, { role: "user", content: "My face droops" }, ...notice];
  for (const messages of [prompt, withNoticesFirst(prompt)]) {
    expect(await answerTo(messages)).toContain("]]\nNo AI is connected, so there is no further answer here.\n");
  }
});
