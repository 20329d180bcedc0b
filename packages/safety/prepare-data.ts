import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LANGUAGES } from "./alerts.ts";
import { prepareCautions } from "./cautions/caution-tables.ts";
import { prepareMarkers } from "./language.ts";
import { ALARM_WORDS, prepareAlarmWords } from "./screening/alarm-words.ts";
import { prepareLanguage } from "./screening/language-rules.ts";
import { prepareRules } from "./screening/rules.ts";

/** The data files as they are in the repository. */
export const DATA = join(import.meta.dirname, "data");

/** The module of a bundle that reads data files, which must be in the folder `data` next to that bundle. */
export const READER = "packages/safety/data-file.ts";

/** Copies the data files into the folder of a bundle. Phrases are normalized and indexed on the way. */
export function prepareData(folder: string): void {
  cpSync(DATA, folder, { recursive: true });
  rewrite(join(folder, "rules.json"), prepareRules);
  rewrite(join(folder, "cautions.json"), prepareCautions);
  rmSync(join(folder, "drugs.json"));
  rewrite(join(folder, "language-markers.json"), prepareMarkers);
  writeFileSync(join(folder, ALARM_WORDS), JSON.stringify(prepareAlarmWords()));
  for (const language of LANGUAGES.filter((code) => code !== "en" && code !== "zh-Hant")) {
    rewrite(join(folder, "languages", `${language}.json`), (file) => ({
      ...prepareLanguage(file, language),
      texts: file.texts,
    }));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the readers of the files have their types
function rewrite(path: string, change: (file: any) => unknown): void {
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}
