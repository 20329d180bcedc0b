import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { copySafetyData } from "../../infra/bundling/safety-data.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const TEXTS = JSON.parse(readFileSync(join(ROOT, "packages/safety/data/fixed-texts.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "safety-texts-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: string): string {
  const path = join(folder, "texts.json");
  writeFileSync(path, content);
  return path;
}

const copy = (content: string) => copySafetyData({ inputs: {}, outputs: {} }, fileOf(content));

describe("a deployment's own fixed texts", () => {
  test("are accepted when they have every text that the project's file has", () => {
    expect(() => copy(JSON.stringify({ ...TEXTS, cut: "Der Rest fehlt." }))).not.toThrow();
  });

  test.each([
    ["is not JSON", "{"],
    ["lacks a category", JSON.stringify({ ...TEXTS, emergency: { ...TEXTS.emergency, meanwhile: {} } })],
    ["lacks a level", JSON.stringify({ ...TEXTS, crisis: undefined })],
    ["has an empty text", JSON.stringify({ ...TEXTS, disclosure: " " })],
    ["is a list", "[]"],
  ])("are rejected with a clear error if the file %s", (_, content) => {
    expect(() => copy(content)).toThrow(/^The file that the context value safetyTexts names.*\.$/);
  });

  test("may have other languages if their texts are complete", () => {
    expect(() => copy(JSON.stringify({ ...TEXTS, languages: { es: TEXTS, "zh-hant": TEXTS } }))).not.toThrow();
    const lacking = { ...TEXTS, languages: { es: TEXTS, fr: { ...TEXTS, neutral: undefined } } };
    expect(() => copy(JSON.stringify(lacking))).toThrow(/lacks the text languages\.fr\.neutral\.body\.$/);
  });

  test.each(["en", "it", "zh-Hant"])("are rejected in an unsupported language: %s", (code) => {
    expect(() => copy(JSON.stringify({ ...TEXTS, languages: { [code]: TEXTS } }))).toThrow(
      new RegExp(`^The file .* has texts in the language ${code}, which is not one of .*es.*\\.$`),
    );
  });

  test("are rejected if the file does not exist", () => {
    expect(() => copySafetyData({ inputs: {}, outputs: {} }, join(folder, "none.json"))).toThrow("does not exist");
  });
});

test("only the function that answers messages has the data files next to its bundle", () => {
  const functions = [...readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "").functions.values()];
  const withData = functions.filter(({ codePath }) => {
    try {
      return readFileSync(join(codePath, "data", "fixed-texts.json"), "utf8") !== "";
    } catch {
      return false;
    }
  });
  expect(withData.map(({ name }) => /^Api(Chat|CreateThread)/.exec(name)?.[1])).toEqual(["Chat"]);
});
