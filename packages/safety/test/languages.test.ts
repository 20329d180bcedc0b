import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { LANGUAGES } from "../alerts.ts";
import { recognizeLanguage } from "../language.ts";
import { screen } from "../screen.ts";
import { findInLanguage } from "../screening/language-rules.ts";
import { CORPUS, type Labeled, trainingSources } from "../training/labeled.ts";

interface Messages {
  alerts: string[];
  harmless: string[];
}

const read = (...path: string[]) => JSON.parse(readFileSync(join(import.meta.dirname, ...path), "utf8"));

/** Language → messages: explicit emergencies and crises, and harmless ones that resemble them. */
const MESSAGES: Record<string, Messages> = read("languages.json");

/** English sentences of the same two kinds, which are kept out of training. */
const QUOTED: { shown: string[]; harmless: string[] } = read("../training/corpus/quoted.json");
MESSAGES.en?.alerts.push(...QUOTED.shown);
MESSAGES.en?.harmless.push(...QUOTED.harmless);

const isCertain = (message: string) => screen(message).finding?.certainty === "certain";

/** Many short Chinese messages are the same in both scripts. */
function sameLanguage(first: string, second: string): boolean {
  return first === second || (first === "zh" && second === "zh-Hant");
}

describe.each(Object.entries(MESSAGES))("%s", (language, { alerts, harmless }) => {
  test("explicit emergencies and crises are certain", () => {
    expect(alerts.filter((message) => !isCertain(message))).toEqual([]);
  });

  test("harmless messages raise nothing certain", () => {
    expect(harmless.filter(isCertain)).toEqual([]);
  });

  test("at least 40 explicit messages are recognized as this language", () => {
    expect(Math.min(alerts.length, harmless.length)).toBeGreaterThanOrEqual(40);
    const others = alerts.filter((message) => !sameLanguage(screen(message).language, language));
    expect(others).toEqual([]);
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
});

test.each([
  ["es", "no le duele el pecho"],
  ["de", "er hat keine Schmerzen in der Brust"],
  ["ru", "в груди не болит"],
  ["es", "me muero de hambre jaja"],
  ["es", "me muero de sueño"],
])("nothing is found in what is denied or only sounds like a danger: %s, %s", (language, message) => {
  expect(screen(message)).toEqual({ language, finding: undefined });
});

test.each([
  ["心口好痛", "心口好痛"],
  ["我想自殺", "我想自杀"],
  ["喘唔到氣", "喘唔到气"],
])("traditional characters are read as simplified ones: %s", (traditional, simplified) => {
  const [first, second] = [traditional, simplified].map((message) => screen(message).finding);
  expect(first).toMatchObject({ certainty: "certain", alert: second?.alert, evidence: [traditional] });
});

test.each([
  "The pharmacist wrote 진통제 on the box, may I take it with food?",
  "My grandmother calls it простуда, is that a cold or the flu?",
  "On the label it says دواء and nothing else, how do I read it?",
])("a foreign word in an English message does not make it foreign: %s", (message) => {
  expect(screen(message).language).toBe("en");
});

test.each([
  ["zh", "我爸没有呼吸了 ㅠㅠ"],
  ["zh", "我想死 (；´Д｀)"],
  ["zh", "我想死 ٩(ˊᗜˋ*)و"],
  ["ru", "мама не дышит ㅠㅠ"],
  ["ar", "أمي لا تتنفس ㅠㅠ"],
])("in %s, a face that is drawn with letters of another script hides nothing: %s", (language, message) => {
  const { finding, language: recognized } = screen(message);
  expect(sameLanguage(recognized, language)).toBe(true);
  expect(finding?.certainty).toBe("certain");
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

describe("a message in Latin letters", () => {
  test.each([
    ["quiero morir", "es"],
    ["qro morrer", "pt"],
    ["überfahren worden", "de"],
    ["lèvres bleues", "fr"],
    ["rắn cắn", "vi"],
    ["nakalunok ng button battery", "tl"],
    ["hochu umeret", "ru"],
    ["Good morning doctor, xochu umeret, please help", "ru"],
    ["Hi doctor wo xiang si please help me now", "zh"],
    ["hi, mesh 3ayza a3eesh, what do I do", "ar"],
  ] as const)("is screened in the language that has one of its words among its alarms: %s, %s", (message, language) => {
    expect(recognizeLanguage(message).candidates).toContain(language);
  });

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

test.each([
  ["please help mi mamá no respira", "es", "breathing"],
  ["Hello doctor, sorry for my bad english. meu filho engasgou e não respira", "pt", "breathing"],
  ["hi, mon bébé s'étouffe, thanks", "fr", "breathing"],
  ["help help ich will sterben", "de", "suicidal-thoughts"],
  ["toi muon chet what do I do", "vi", "suicidal-thoughts"],
  ["Please help me! nabulunan ang anak ko", "tl", "breathing"],
  ["excuse me my english is not good. мама не дышит", "ru", "breathing"],
  ["Hi doctor 我妈妈没有呼吸了 please help thanks", "zh", "breathing"],
  ["죽고 싶어요 pls help me now", "ko", "suicidal-thoughts"],
  ["Hi doctor أمي لا تتنفس please help thanks", "ar", "breathing"],
])("an alarm among polite words in English is certain, in its own language: %s", (message, language, category) => {
  const { finding, language: recognized } = screen(message);
  expect([recognized, finding?.certainty, finding?.alert.category]).toEqual([language, "certain", category]);
});

test.each([
  ["en", "my mom isn't really, um, waking up at all"],
  ["en", "she's breathing but she's just not she's not waking up"],
  ["es", "mi mamá... no... respira"],
  ["es", "mi mamá o sea pues no no respira"],
  ["pt", "minha mãe tipo não acorda"],
  ["fr", "il ne... il ne respire plus"],
  ["de", "meine Mutter wacht irgendwie gar nicht auf"],
  ["ru", "ребёнок прям синий весь"],
  ["tl", "gusto ko na po talagang mamatay"],
  ["ar", "بنتي يعني بلعت كل الحبوب"],
  ["ko", "아기가 막 파래졌어요"],
] as const)(
  "in %s, an alarm is certain as it is spoken, with pauses, repeated words and words that fill it: %s",
  (language, message) => {
    const { finding, language: recognized } = screen(message);
    expect([recognized, finding?.certainty]).toEqual([language, "certain"]);
  },
);

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
