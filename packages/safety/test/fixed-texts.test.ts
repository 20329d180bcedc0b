import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { config } from "../../../shared/config.ts";
import { COUNTRIES, chooseHelpLines, type HelpLines } from "../../../shared/help-lines.ts";
import { LANGUAGES } from "../alerts.ts";
import { type Advice, alertIn, neutralText, openingText } from "../fixed-texts.ts";

const DATA = join(import.meta.dirname, "../data");

// biome-ignore lint/suspicious/noExplicitAny: the names are what the tests check
type Texts = { [name: string]: any };

const read = (name: string) => JSON.parse(readFileSync(join(DATA, name), "utf8"));
const ENGLISH: Texts = read("fixed-texts.json");

const NO_ADVICE: Advice = { firstAid: undefined, mayBeMeant: false, mayBeAbuse: false };

/** The path of each text with its placeholders; undefined for an empty text. */
function placeholders(texts: Texts, place = ""): [string, string[] | undefined][] {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === "string"
      ? [[place + name, value.trim() === "" ? undefined : [...new Set(value.match(/\{\w+[}?]/g))].toSorted()]]
      : placeholders(value, `${place}${name}.`),
  );
}

test.each(LANGUAGES)("the general emergency text and the neutral text in %s have the crisis line", (language) => {
  const { neutral, general } = language === "en" ? ENGLISH : read(`languages/${language.toLowerCase()}.json`).texts;
  for (const text of [neutral.any, general.emergency]) {
    expect(text).toMatch(/\{emergencyNumber\}.*\{crisisLine\}/s);
  }
});

/** The sentences with help lines in a language. */
function textsWith(lines: Record<string, string>, language: (typeof LANGUAGES)[number]): string[] {
  Object.assign(process.env, { EMERGENCY_NUMBER: "112", CRISIS_LINE: "116 123", ...lines });
  return [
    neutralText({ ...NO_ADVICE, firstAid: "overdose" }, language, config.helpLines),
    openingText(
      { level: "emergency", category: "suicide-attempt" },
      { ...NO_ADVICE, firstAid: "suicide-attempt", mayBeMeant: true },
      language,
      config.helpLines,
    ),
    ...(["suicidal-thoughts", "self-harm", "abuse"] as const).map((category) =>
      openingText({ level: "crisis", category }, NO_ADVICE, language, config.helpLines),
    ),
  ];
}

describe.each(LANGUAGES)("the fixed texts in %s", (language) => {
  test("say how the crisis line is reached", () => {
    const [call, text, both] = ["call", "text", "both"].map((by) => textsWith({ CRISIS_LINE_BY: by }, language));
    for (const [index, words] of both?.entries() ?? []) {
      expect(words).not.toMatch(/[{}?]/);
      const isAbuse = index === 4;
      expect(new Set([call?.[index], text?.[index], words]).size).toBe(isAbuse ? 1 : 3);
      expect(call?.[index]).toContain(isAbuse ? "112" : "116 123");
    }
  });

  test("leave out the lines that a country does not have", () => {
    const without = textsWith({ POISON_CONTROL: "", ABUSE_LINE: "" }, language);
    const withThem = textsWith({ POISON_CONTROL: "555-0101", ABUSE_LINE: "555-0102" }, language);
    expect(without.filter((text) => /555| {2}|[:：]\s*[.。]/.test(text))).toEqual([]);
    expect(withThem.filter((text) => /555-010[12]/.test(text))).toHaveLength(3);
  });
});

test("the line for abuse follows an alert that may be about it, once", () => {
  const text = (alert: Parameters<typeof openingText>[0], advice: Partial<Advice> = { mayBeAbuse: true }) =>
    openingText(alert, { ...NO_ADVICE, ...advice }, "en", config.helpLines);
  Object.assign(process.env, { ABUSE_LINE: "555-0102" });
  expect(text({ level: "crisis", category: undefined })).toMatch(/call 112\.\n\n.*555-0102/s);
  expect(text({ level: "emergency", category: "head-injury" })).toContain("555-0102");
  expect(text({ level: "crisis", category: "abuse" }).match(/555-0102/g)).toHaveLength(1);
  const strangled = text({ level: "crisis", category: "abuse" }, { firstAid: "strangled", mayBeAbuse: true });
  expect(strangled.match(/555-0102/g)).toHaveLength(1);
  expect(text({ level: "crisis", category: undefined }, {})).not.toContain("555-0102");
});

test.each([
  ["tl", /magmaneho nang mag-isa/],
  ["zh-hant", /陰道里/],
  ["ru", /без присмотра/],
  ["fr", /sans compagnie/],
  ["pt", /sem companhia/],
  ["es", /sin compañía/],
])("no text in %s uses the unidiomatic %s", (language, wording) => {
  expect(JSON.stringify(read(`languages/${language}.json`).texts)).not.toMatch(wording);
});

test.each(LANGUAGES.filter((language) => language !== "en"))(
  "the fixed texts in %s match the English ones, with the same placeholders, and await a clinician's review",
  (language) => {
    const { texts, review } = read(`languages/${language.toLowerCase()}.json`);
    expect(Object.fromEntries(placeholders(texts))).toEqual(Object.fromEntries(placeholders(ENGLISH)));
    expect(review).toMatch(/review/i);
  },
);

describe("an alert in an answer that somebody else has kept", () => {
  const LINES = COUNTRIES.map((country) => [country, chooseHelpLines({ country }) as HelpLines] as const);
  const useLines = ({ emergencyNumber, crisisLine, crisisLineBy, poisonControl, abuseLine }: HelpLines) =>
    Object.assign(process.env, {
      EMERGENCY_NUMBER: emergencyNumber,
      CRISIS_LINE: crisisLine,
      CRISIS_LINE_BY: crisisLineBy,
      POISON_CONTROL: poisonControl,
      ABUSE_LINE: abuseLine,
    });

  test.each(LINES)("is not a number that happens to be the emergency number of %s", (_, lines) => {
    useLines(lines);
    const { emergencyNumber: number } = lines;
    for (const answer of [
      `Take 500 to 1,${number} mg, and at most 4,${number} mg a day.`,
      `Your heart rate was ${number}. The number to call is on your card.`,
      `If it gets worse, call ${number}.`,
      neutralText(NO_ADVICE, "en", config.helpLines),
    ]) {
      expect(alertIn(answer, config.helpLines)).toBeUndefined();
    }
  });

  test.each(LINES)("is each opening in each language, with the lines of %s", (_, lines) => {
    useLines(lines);
    for (const language of LANGUAGES) {
      for (const category of ["stroke", undefined] as const) {
        const text = openingText(
          { level: "emergency", category },
          { ...NO_ADVICE, firstAid: category, mayBeMeant: category === undefined },
          language,
          config.helpLines,
        );
        expect(alertIn(`${text}\n\nSit down.`.replaceAll("\n\n", "\r\n "), config.helpLines)).toEqual({
          level: "emergency",
          category: "other",
        });
      }
      expect(
        alertIn(
          openingText({ level: "crisis", category: undefined }, NO_ADVICE, language, config.helpLines),
          config.helpLines,
        )?.level,
      ).toBe("crisis");
      for (const category of ["suicidal-thoughts", "self-harm", "abuse"] as const) {
        expect(
          alertIn(openingText({ level: "crisis", category }, NO_ADVICE, language, config.helpLines), config.helpLines),
        ).toEqual({
          level: "crisis",
          category,
        });
      }
    }
  });
});
