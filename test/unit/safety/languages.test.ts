import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { recognizeLanguage } from "../../../shared/safety/language.ts";
import { findInLanguage } from "../../../shared/safety/language-rules.ts";
import { screen } from "../../../shared/safety/screen.ts";
import { LANGUAGES } from "../../../shared/safety/screening.ts";
import { CORPUS, type Labeled, trainingSources } from "../../../tools/safety/labeled.ts";

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

describe("messages as people type them in a chat", () => {
  const LINES: (Labeled & { language: string })[] = readFileSync(join(CORPUS, "languages.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

  test("are assigned to their language if they are calm, with few exceptions", () => {
    const calm = LINES.filter(({ level }) => level === "none");
    const wrong = calm.filter(({ text, language }) => !sameLanguage(screen(text).language, language));
    expect(wrong.length / calm.length).toBeLessThan(0.03);
  });

  test.each(LANGUAGES.filter((code) => code !== "en"))(
    "are certain alerts in %s if and only if they are dangerous",
    (code) => {
      const lines = LINES.filter(({ language }) => language === code);
      expect(lines).toHaveLength(30);
      const wrong = lines.filter(({ text, level }) => isCertain(text) !== (level !== "none"));
      expect(wrong.map(({ text }) => text)).toEqual([]);
    },
  );

  test("are suspected only rarely if they are calm", () => {
    const calm = LINES.filter(({ level }) => level === "none");
    expect(calm.filter(({ text }) => screen(text).finding !== undefined).length / calm.length).toBeLessThan(0.03);
  });

  /** Many short Chinese messages are the same in both scripts. */
  function sameLanguage(first: string, second: string): boolean {
    return first === second || (first === "zh" && second === "zh-Hant");
  }
});

describe("a danger in a word order or form that no phrase has", () => {
  const MESSAGES: [language: string, message: string, category: string][] = [
    ["es", "el pecho desde anoche como que le oprime raro a mi vecina", "cardiac"],
    ["es", "hinchándosele vienen los labios y la garganta desde la picadura", "breathing"],
    ["pt", "vontade nenhuma de continuar vivendo, cansei da vida", "suicidal-thoughts"],
    ["pt", "o rosto do vovô está meio caído de um lado", "stroke"],
    ["fr", "son visage pend d'un côté depuis ce matin", "stroke"],
    ["fr", "du déboucheur, le voisin en a bu une gorgée", "poisoning"],
    ["de", "eine von diesen Knopfzellen hat die Kleine gerade geschluckt", "poisoning"],
    ["de", "seine Lippen schwellen nach dem Bienenstich immer mehr an", "breathing"],
    ["zh", "胶水一样的清洁剂被我家娃喝了一口", "poisoning"],
    ["zh-Hant", "血從他腿上一直噴出來", "bleeding"],
    ["vi", "môi của bà cứ tím dần, thở khó lắm", "breathing"],
    ["tl", "yung kalahati ng mukha ni nanay biglang nakalaylay", "stroke"],
    ["ar", "شفايف جدتي صارت زرقا ونفسها صعب", "breathing"],
    ["ko", "세제를 우리 손주가 한 모금 삼킨 것 같아", "poisoning"],
    ["ru", "руки себе по ночам полосует лезвием моя дочь", "self-harm"],
  ];

  test.each(MESSAGES)("is at least suspected: %s, %s", (language, message, category) => {
    expect(screen(message)).toMatchObject({ language, finding: { alert: { category } } });
  });

  test.each([
    ["es", "no le duele el pecho"],
    ["de", "er hat keine Schmerzen in der Brust"],
    ["ru", "в груди не болит"],
  ])("is not suspected if it is denied: %s, %s", (_, message) => {
    expect(screen(message).finding).toBeUndefined();
  });

  test.each([
    ["es", "me muero de hambre jaja"],
    ["es", "me muero de sueño"],
  ])("is not suspected because of its words in another language: %s, %s", (language, message) => {
    expect(screen(message)).toEqual({ language, finding: undefined });
  });
});

describe("a message without a sign of its language", () => {
  test.each([
    ["ok", ["hola, me duele la cabeza"], "es"],
    ["no", ["ich habe Fieber", "38.5", "ok"], "de"],
    ["120/80", ["我头痛三天了"], "zh"],
    ["thank you so much", ["hola, me duele la cabeza"], "en"],
    ["ok", ["I have a cold"], "en"],
  ])("%j after %j is in the language of the conversation: %s", (message, earlier, language) => {
    expect(screen(message, earlier).language).toBe(language);
  });
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
    recognizeLanguage(text).candidates.some((language) => findInLanguage(text, language)?.certainty === "certain"),
  );
  expect(met.map(({ text }) => text)).toEqual([]);
});

test("Russian is also recognized in Latin letters, in any transliteration", () => {
  for (const message of ["ya khochu umeret", "ja hochu umeret", "Я хочу умереть"]) {
    expect(findInLanguage(message, "ru")?.alert.category).toBe("suicidal-thoughts");
  }
});
