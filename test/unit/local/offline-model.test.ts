import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type OfflineModel, startOfflineModel } from "../../../local/offline-model.ts";
import { readVerdict } from "../../../shared/safety/level-words.ts";

let model: OfflineModel;
beforeAll(async () => {
  model = await startOfflineModel();
});
afterAll(() => model.stop());

async function ask(
  content: string,
  { messages = [], ...format }: { messages?: object[]; response_format?: object } = {},
): Promise<string> {
  const response = await fetch(`${model.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "offline", messages: [...messages, { role: "user", content }], ...format }),
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

test.each([
  ["conditions", { conditions: ["asthma", { name: "hay fever" }] }, "**asthma** and **hay fever**"],
  [
    "everything but conditions",
    { medications: [{}], allergies: "x", notes: ["y"] },
    "**medication**, **allergies**, and **notes**",
  ],
  ["only a name", { name: "Ann" }, undefined],
])("knows what a record has: %s", async (_, record, facts) => {
  const instructions = `Rules\n\n<patient_record>\n${JSON.stringify(record)}\n</patient_record>`;
  const answer = await ask("Can I take ibuprofen?", { messages: [{ role: "system", content: instructions }] });
  expect(answer).toContain(facts ? `Your record lists ${facts}, so ask` : "I know of no conditions");
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
