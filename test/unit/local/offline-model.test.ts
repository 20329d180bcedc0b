import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type OfflineModel, startOfflineModel } from "../../../local/offline-model.ts";
import { readVerdict } from "../../../shared/safety/level-words.ts";

let model: OfflineModel;
beforeAll(async () => {
  model = await startOfflineModel();
});
afterAll(() => model.stop());

async function ask(content: string, format?: object): Promise<string> {
  const response = await fetch(`${model.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "offline", messages: [{ role: "user", content }], ...format }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
}

test("answers from its script, and shows what a real model would have received", async () => {
  expect(await ask("What helps against a headache?")).toContain("A scripted answer: no AI is connected.");
  expect(model.lastMessages()).toMatchObject([{ content: "What helps against a headache?" }]);
});

test("gives no verdict on a suspicion, because it cannot judge a message", async () => {
  await ask("Hello");
  const reply = await ask("I gave away my cat", { response_format: { type: "json_schema", json_schema: {} } });
  expect(readVerdict(reply)).toBeUndefined();
  expect(model.lastMessages()).toMatchObject([{ content: "Hello" }]);
});
