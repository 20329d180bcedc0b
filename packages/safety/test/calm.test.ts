import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { isRecognizedAsCalm } from "../calm.ts";
import { CORPUS, type Labeled } from "../training/labeled.ts";

const { calm, dangers }: { calm: string[]; dangers: Record<string, string[]> } = JSON.parse(
  readFileSync(join(import.meta.dirname, "calm.json"), "utf8"),
);

const recognized = (messages: string[]) => messages.filter((message) => isRecognizedAsCalm(message, []));

/** Sets that nothing is trained on, with the language of each message. */
const putAside = readdirSync(CORPUS)
  .filter((name) => name.startsWith("put-aside"))
  .flatMap((set) => readdirSync(join(CORPUS, set)).map((file) => join(CORPUS, set, file)))
  .flatMap((file) => readFileSync(file, "utf8").trim().split("\n"))
  .map((line): Partial<Labeled> & { language?: string } => JSON.parse(line));

describe("a message is recognized as calm", () => {
  test("if it is an everyday one, more often than not", () => {
    expect(calm.length).toBeGreaterThanOrEqual(150);
    expect(recognized(calm).length / calm.length).toBeGreaterThan(0.6);
  });

  test.each([
    "hi",
    "Hello",
    "hello again",
    "how are you today?",
    "Thanks a lot!",
    "thanks again, that was very helpful",
    "thank you very much doctor",
    "have a nice day",
    "thank you so much",
    "When are you open?",
    "How much water should I drink?",
    "When is a good time of day to take vitamin D?",
    "What are the side effects of metformin?",
  ])("such as %s", (message) => {
    expect(isRecognizedAsCalm(message, [])).toBe(true);
  });
});

describe("hardly any danger is recognized as calm", () => {
  test.each(Object.entries(dangers))("in a few words, at least 98 %% are not: %s", (_, messages) => {
    expect(messages.length).toBeGreaterThanOrEqual(15);
    expect(recognized(messages).length / messages.length).toBeLessThanOrEqual(0.02);
  });

  test("of the sets that are put aside, in any language", () => {
    const alarms = putAside.flatMap(({ text, level }) => (text !== undefined && level !== "none" ? [text] : []));
    expect(alarms.length).toBeGreaterThan(1_500);
    expect(recognized(alarms).length / alarms.length).toBeLessThan(0.002);
  });

  test.each([
    "thinking about walking into traffic",
    "electric shock from the oven",
    "got a shock off the toaster",
    "standing by the bridge",
  ])("nor is what has a grave word: %s", (message) => {
    expect(isRecognizedAsCalm(message, [])).toBe(false);
  });

  test.each(["", "?", "...", "🙂", "\u0000", "asdf", "12345", "911"])("nor is what says nothing: %j", (message) => {
    expect(isRecognizedAsCalm(message, [])).toBe(false);
  });

  test.each([
    ["thanks", "my dad has crushing chest pain and is sweating"],
    ["ok", "I want to kill myself"],
    ["What are your opening hours?", "he is unconscious and not breathing"],
  ])("nor %j after %j", (message, earlier) => {
    expect(isRecognizedAsCalm(message, [earlier])).toBe(false);
  });

  test.each([
    "What are your opening hours? Nataka kufa",
    "Can I book an appointment for next week? 我不想活了",
    "Thank you for everything, goodbye",
    "thanks again for everything, goodbye everyone",
    "hello, help",
    "hi doctor, breathing bad",
    "hi. aiuto",
  ])("nor a calm sentence beside another: %s", (message) => {
    expect(isRecognizedAsCalm(message, [])).toBe(false);
  });
});
