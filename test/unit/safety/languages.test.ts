import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { recognizeLanguage } from "../../../shared/safety/language.ts";
import { alertInLanguage } from "../../../shared/safety/language-rules.ts";
import { screen } from "../../../shared/safety/screen.ts";
import { LANGUAGES } from "../../../shared/safety/screening.ts";
import { trainingSources } from "../../../tools/safety/labeled.ts";

interface Messages {
  alerts: string[];
  harmless: string[];
}

const read = (...path: string[]) => JSON.parse(readFileSync(join(import.meta.dirname, ...path), "utf8"));

/** Language → messages: explicit emergencies and crises, and harmless ones that resemble them. */
const MESSAGES: Record<string, Messages> = read("languages.json");

/** English sentences of the same two kinds, which are kept out of training. */
const QUOTED: { shown: string[]; harmless: string[] } = read("../../../tools/safety/corpus/quoted.json");
MESSAGES.en?.alerts.push(...QUOTED.shown);
MESSAGES.en?.harmless.push(...QUOTED.harmless);

const isCertain = (message: string) => screen(message).finding?.certainty === "certain";

describe.each(Object.entries(MESSAGES))("%s", (language, { alerts, harmless }) => {
  test("explicit emergencies and crises are certain", () => {
    expect(alerts.filter((message) => !isCertain(message))).toEqual([]);
  });

  test("harmless messages raise nothing certain", () => {
    expect(harmless.filter(isCertain)).toEqual([]);
  });

  test("at least 40 explicit messages are recognized as this language", () => {
    expect(Math.min(alerts.length, harmless.length)).toBeGreaterThanOrEqual(40);
    const recognized = (message: string) => `${screen(message).language}: ${message}`;
    expect(alerts.map(recognized)).toEqual(alerts.map((message) => `${language}: ${message}`));
  });
});

test("every language has messages", () => {
  expect(Object.keys(MESSAGES).sort()).toEqual([...LANGUAGES].sort());
});

describe("a short message in Latin letters", () => {
  test.each(["quiero morir", "quero morrer", "überfahren worden", "rắn cắn", "hochu umeret"])(
    "without a frequent word is screened in every language: %s",
    (message) => {
      expect(recognizeLanguage(message).candidates).toEqual(
        expect.arrayContaining(["es", "pt", "fr", "de", "vi", "ru"]),
      );
    },
  );

  test.each(["ok", "thank you", "I have a headahce", "refill my lisinopril please", "what time is it"])(
    "that is plainly English is screened in no other language: %s",
    (message) => {
      expect(recognizeLanguage(message).candidates).toEqual([]);
    },
  );

  test.each(["asdf", "thx", "headahce", "hmm", "Maria Hernandez", "Nguyen Van An", "Müller", "lol", "k", "metformin"])(
    "that is a name, a typo or a drug raises nothing: %s",
    (message) => {
      expect(isCertain(message)).toBe(false);
    },
  );
});

test("the labeled English messages match no rule of another language", () => {
  const messages = trainingSources()
    .flatMap((source) => source.messages)
    .filter((_, index) => index % 10 === 0);
  const met = messages.filter(({ text }) =>
    recognizeLanguage(text).candidates.some((language) => alertInLanguage(text, language)),
  );
  expect(met.map(({ text }) => text)).toEqual([]);
});

test("Russian is also recognized in Latin letters, in any transliteration", () => {
  for (const message of ["ya khochu umeret", "ja hochu umeret", "Я хочу умереть"]) {
    expect(alertInLanguage(message, "ru")?.category).toBe("suicidal-thoughts");
  }
});
