import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Metafile } from "esbuild";
import { SettingError } from "../settings.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const READER = "shared/safety/data-file.ts";
const DATA = join(ROOT, dirname(READER), "data");
const TEXTS = "fixed-texts.json";

/**
 * Puts the safety layer's data files beside each bundle that reads them.
 *
 * @param metafile of the bundles
 * @param ownTexts path of a deployment's own fixed texts; "" for those of the project
 * @throws SettingError when that file cannot be read, or lacks a text that the project's has
 */
export function copySafetyData({ outputs }: Metafile, ownTexts: string): void {
  const texts = ownTexts === "" ? undefined : readOwnTexts(ownTexts);
  for (const [output, { inputs }] of Object.entries(outputs)) {
    const folder = join(ROOT, dirname(output), "data");
    rmSync(folder, { recursive: true, force: true });
    if (READER in inputs) {
      cpSync(DATA, folder, { recursive: true });
      if (texts) {
        writeFileSync(join(folder, TEXTS), JSON.stringify(texts));
      }
    }
  }
}

function readOwnTexts(path: string): unknown {
  let texts: unknown;
  try {
    texts = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new SettingError(`The file that the context value safetyTexts names, ${path}, is not there or no JSON.`);
  }
  const missing = missingText(JSON.parse(readFileSync(join(DATA, TEXTS), "utf8")), texts);
  if (missing !== undefined) {
    throw new SettingError(`The file that the context value safetyTexts names lacks the text ${missing}.`);
  }
  return texts;
}

/** The place of the first text that one object has and the other has not. */
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
