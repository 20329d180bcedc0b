import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { recognizeLanguage } from "../../packages/safety/language.ts";
import { HARMLESS, HELP } from "../helpers/safety-messages.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const read = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../packages/safety/test", name), "utf8"));
const { calm, dangers }: { calm: string[]; dangers: Record<string, string[]> } = read("calm.json");

/** A client that knows only the specified fields, while every call of the model fails. */
const ask = (message: string) => service.chat({ message });

beforeEach(() => {
  service.model.script = () => ({ status: 401 });
});

describe("while the model is down, the response", () => {
  test.each(Object.entries(dangers))("has a number to call for at least 98 %% of dangers: %s", async (_, messages) => {
    const replies = await Promise.all(messages.slice(0, 12).map(ask));
    const helped = replies.filter(({ status, body }) => status === 200 && /\b(?:911|988)\b/.test(body.response));
    expect(helped.length / replies.length).toBeGreaterThanOrEqual(0.98);
  });

  test("is the specified 500 for at least half of calm everyday messages, with whom to call in a header", async () => {
    const replies = await Promise.all(calm.slice(0, 60).map(ask));
    const failed = replies.filter(({ status }) => status === 500);
    expect(failed.length / replies.length).toBeGreaterThanOrEqual(0.5);
    for (const { body, headers } of failed) {
      expect(body).toEqual({ success: false, error: "Failed to process chat request" });
      expect(headers.get("x-help-lines")).toContain('emergency="911"');
    }
    const others = replies.filter(({ status }) => status === 200);
    expect(others.length + failed.length).toBe(replies.length);
    expect(others.filter(({ body }) => !body.response.includes("911"))).toEqual([]);
  });

  test.each([
    ["something is not right with my mum", "en"],
    ["mi mamá está muy rara desde ayer", "es"],
    ["minha mãe está muito estranha desde ontem", "pt"],
    ["ma mère est très bizarre depuis hier", "fr"],
    ["ich glaube ich kriege kaum noch luft mehr hilfe", "de"],
    ["爸爸今天怪怪的", "zh"],
    ["媽媽從昨天開始怪怪的", "zh-Hant"],
    ["mẹ tôi từ hôm qua rất lạ", "vi"],
    ["kakaiba ang nanay ko mula kahapon", "tl"],
    ["ماما تعبانة كتير", "ar"],
    ["엄마가 어제부터 이상해요", "ko"],
    ["маме со вчерашнего дня как-то странно", "ru"],
    ["nisaidie tafadhali", "en"],
  ])("is in the language that is recognized, otherwise in English: %s", async (message, language) => {
    const { status, body } = await ask(message);
    expect(status).toBe(200);
    expect(recognizeLanguage(body.response).language).toBe(language);
  });
});

test.each([
  ["a thread that does not exist", { message: HARMLESS, threadId: "10001" }, 404],
  ["a body that is not valid", {}, 400],
])("%s has the header, too", async (_, body, status) => {
  const reply = await service.call("POST", "/chat", { body });
  expect(reply.status).toBe(status);
  expect(reply.headers.get("x-help-lines")).toContain('crisis="988"');
  expect(reply.body).not.toHaveProperty("help");
});

test("an event error of a stream and an error for OpenAI's clients say whom to call", async () => {
  service.model.script = () => ({ content: "one two three", breakAfter: 1 });
  const events = await service.stream({ message: HARMLESS });
  expect(events.at(-1)).toMatchObject({ event: "error", data: { help: HELP } });
  service.model.script = () => ({ status: 500 });
  const body = { model: "health-assistant", messages: [{ role: "user", content: HARMLESS }] };
  const reply = await service.call("POST", "/openai/v1/chat/completions", { body });
  expect(reply.body.error).toMatchObject({ message: expect.stringContaining("911"), help: HELP });
});
