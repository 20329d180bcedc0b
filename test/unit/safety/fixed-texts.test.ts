import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
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
      ? [[place + name, value.trim() === "" ? undefined : [...new Set(value.match(/\{\w+\}/g))].toSorted()]]
      : placeholders(value, `${place}${name}.`),
  );
}

test.each(LANGUAGES)("the general emergency text and the neutral text in %s have the crisis line", (language) => {
  const { neutral, general } = language === "en" ? ENGLISH : read(`languages/${language.toLowerCase()}.json`).texts;
  for (const text of [neutral, general.emergency]) {
    expect(text).toMatch(/\{emergencyNumber\}.*\{crisisLine\}/s);
  }
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
