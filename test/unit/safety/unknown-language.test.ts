import { describe, expect, test } from "@jest/globals";
import { isUnknownLanguage } from "../../../shared/safety/unknown-language.ts";
import { trainingSources } from "../../../tools/safety/labeled.ts";

describe("a message in no language with rules", () => {
  test.each([
    "Jag har ont i magen sedan igår",
    "Boli mnie brzuch od wczoraj",
    "mijn buik doet al drie dagen pijn",
    "ho mal di testa da due giorni e un po di febbre",
    "karnım dünden beri ağrıyor",
    "पेट में दर्द है",
    "ปวดท้องมากตั้งแต่เมื่อวาน",
    "お腹が痛いです",
  ])("is in an unknown language: %s", (message) => {
    expect(isUnknownLanguage(message)).toBe(true);
  });

  test.each([
    "?",
    "ok",
    "12345",
    "120/80",
    "ibuprofen 400 mg",
    "👍",
    "refill pls",
    "can u refill my lisinopril asap",
    "order-3fa0b2c77d1e",
  ])("is treated as English: %s", (message) => {
    expect(isUnknownLanguage(message)).toBe(false);
  });

  test("is treated as English if it is in the labeled sets, with few exceptions", () => {
    const messages = trainingSources()
      .flatMap((source) => source.messages)
      .filter((_, index) => index % 10 === 0);
    const mistaken = messages.filter(({ text }) => isUnknownLanguage(text));
    expect(mistaken.length / messages.length).toBeLessThan(0.02);
  });
});
