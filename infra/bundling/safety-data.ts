import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Metafile } from "esbuild";
import { prepareCautions } from "../../packages/safety/caution-tables.ts";
import { prepareMarkers } from "../../packages/safety/language.ts";
import { prepareLanguage } from "../../packages/safety/language-rules.ts";
import { prepareRules } from "../../packages/safety/rules.ts";
import { LANGUAGES } from "../../packages/safety/screening.ts";
import { SettingError } from "../setting-error.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const READER = "packages/safety/data-file.ts";
const DATA = join(ROOT, dirname(READER), "data");
const TEXTS = "fixed-texts.json";

/**
 * Copies the safety layer's data files next to each bundle that reads them. Phrases are normalized and indexed on the
 * way.
 *
 * @param metafile of the bundles
 * @param ownTexts path of a deployment's own fixed texts; "" for those of the project
 * @throws SettingError if that file cannot be read, lacks a text, or has texts in a language that the screen does not
 *   support
 */
export function copySafetyData({ outputs }: Metafile, ownTexts: string): void {
  const texts = ownTexts === "" ? undefined : readOwnTexts(ownTexts);
  for (const [output, { inputs }] of Object.entries(outputs)) {
    const folder = join(ROOT, dirname(output), "data");
    rmSync(folder, { recursive: true, force: true });
    if (READER in inputs) {
      cpSync(DATA, folder, { recursive: true });
      rewrite(join(folder, "rules.json"), prepareRules);
      rewrite(join(folder, "cautions.json"), prepareCautions);
      rmSync(join(folder, "drugs.json"));
      rewrite(join(folder, "language-markers.json"), prepareMarkers);
      for (const language of LANGUAGES.filter((code) => code !== "en" && code !== "zh-Hant")) {
        rewrite(join(folder, "languages", `${language}.json`), (file) => ({
          ...prepareLanguage(file, language),
          texts: file.texts,
        }));
      }
      if (texts) {
        writeFileSync(join(folder, TEXTS), JSON.stringify(texts));
      }
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the readers of the files have their types
function rewrite(path: string, change: (file: any) => unknown): void {
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}

/** A deployment's own texts: all that the project has in English, and optionally `languages.<code>`. */
function readOwnTexts(path: string): unknown {
  const reject = (what: string) => new SettingError(`The file that the context value safetyTexts names ${what}.`);
  let texts: { languages?: Record<string, unknown> };
  try {
    texts = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new SettingError(
      `The file that the context value safetyTexts names, ${path}, does not exist or is not valid JSON.`,
    );
  }
  const wanted = JSON.parse(readFileSync(join(DATA, TEXTS), "utf8"));
  const { languages = {} } = texts;
  const codes = readdirSync(join(DATA, "languages")).map((name) => basename(name, ".json"));
  const unknown = Object.keys(languages).find((code) => !codes.includes(code));
  if (unknown !== undefined) {
    throw reject(`has texts in the language ${unknown}, which is not one of ${codes.join(", ")}`);
  }
  const missing = Object.entries(languages).reduce(
    (found, [code, own]) => found ?? missingText(wanted, own, `languages.${code}.`),
    missingText(wanted, texts),
  );
  if (missing !== undefined) {
    throw reject(`lacks the text ${missing}`);
  }
  return texts;
}

/** The path of the first text that one object has and the other does not. */
function missingText(wanted: Record<string, unknown>, given: unknown, place = ""): string | undefined {
  for (const [name, value] of Object.entries(wanted)) {
    const found = (given as Record<string, unknown> | undefined)?.[name];
    const missing =
      typeof value === "string"
        ? typeof found !== "string" || found.trim() === ""
          ? place + name
          : undefined
        : missingText(value as Record<string, unknown>, found, `${place}${name}.`);
    if (missing !== undefined) {
      return missing;
    }
  }
  return undefined;
}
