import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { neutralText, openingText } from "../../../shared/safety/fixed-texts.ts";
import { LANGUAGES } from "../../../shared/safety/screening.ts";

const DATA = join(import.meta.dirname, "../../../shared/safety/data");

// biome-ignore lint/suspicious/noExplicitAny: the names are what the tests check
type Texts = { [name: string]: any };

const read = (name: string) => JSON.parse(readFileSync(join(DATA, name), "utf8"));
const ENGLISH: Texts = read("fixed-texts.json");

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
  for (const text of [neutral, general.emergency]) {
    expect(text).toMatch(/\{emergencyNumber\}.*\{crisisLine\}/s);
  }
});

/** The sentences with help lines in a language. */
function textsWith(lines: Record<string, string>, language: (typeof LANGUAGES)[number]): string[] {
  Object.assign(process.env, { EMERGENCY_NUMBER: "112", CRISIS_LINE: "116 123", ...lines });
  return [
    neutralText(language, "poisoning"),
    openingText({ level: "emergency", category: "suicide-attempt", mayBeMeant: true }, language),
    ...(["suicidal-thoughts", "self-harm", "abuse"] as const).map((category) =>
      openingText({ level: "crisis", category }, language),
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
  const text = (alert: Parameters<typeof openingText>[0]) => openingText(alert, "en");
  Object.assign(process.env, { ABUSE_LINE: "555-0102" });
  expect(text({ level: "crisis", category: undefined, firstAid: ["abuse"] })).toMatch(/call 112\.\n\n.*555-0102/s);
  expect(text({ level: "emergency", category: "head-injury", firstAid: ["abuse"] })).toContain("555-0102");
  expect(text({ level: "crisis", category: "abuse", firstAid: ["abuse"] }).match(/555-0102/g)).toHaveLength(1);
  expect(text({ level: "crisis", category: undefined })).not.toContain("555-0102");
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
