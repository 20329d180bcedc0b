import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Metafile } from "esbuild";
import { DATA, prepareData, READER } from "../../packages/safety/prepare-data.ts";
import { SettingError } from "../setting-error.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const TEXTS = "fixed-texts.json";

/**
 * Copies the safety layer's data files next to each bundle that reads them.
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
      prepareData(folder);
      if (texts) {
        writeFileSync(join(folder, TEXTS), JSON.stringify(texts));
      }
    }
  }
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
