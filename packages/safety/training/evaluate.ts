import { join } from "node:path";
import { choose, trainFolds } from "./choose.ts";
import { cautionTable } from "./evaluate-cautions.ts";
import { type Judged, namedTableOf, tableOf } from "./figures.ts";
import { judgeDiluted, judgeFile, judgeTrainingSources } from "./judge.ts";
import { CORPUS, filesAt, readSource } from "./labeled.ts";
import { trainingTexts } from "./mix.ts";
import { corpusOf } from "./model.ts";

/** What is judged if no path is given. */
const PUT_ASIDE = join(CORPUS, "put-aside-2");

/**
 * Evaluates the shipped screen on labeled messages and conversations, as tables with 95% intervals; without paths, also
 * the cautions.
 *
 * @param paths files, or directories of files, as described in `corpus/README.md`
 * @param listMisses whether to list the alerts that are not certain, and the harmless messages that are
 * @throws Error if a file cannot be read
 */
export function evaluate(paths: string[], listMisses: boolean): string {
  const sources = (paths.length > 0 ? paths : [PUT_ASIDE]).flatMap(filesAt).map(readSource);
  const told = tableOf(judgeDiluted(sources), "Told alone, now among ten sentences");
  return `${report(sources.flatMap(judgeFile), listMisses)}${told}${paths.length === 0 ? cautionTable() : ""}`;
}

/** The same for what the screen is trained on, each message judged by a classifier that was not trained on it. */
export function crossValidate(listMisses: boolean): string {
  const texts = trainingTexts();
  const folds = trainFolds(corpusOf(texts), texts);
  return report(judgeTrainingSources(texts, folds, choose(folds, texts)), listMisses) + cautionTable();
}

function report(judged: Judged[], listMisses: boolean): string {
  const misses = judged
    .filter(({ message, finding }) => (finding?.certainty === "certain") === (message.level === "none"))
    .map(({ message, finding, rows }) => {
      const found = finding ? `${finding.certainty} ${finding.alert.category}` : "none";
      return `${rows[0]}, ${message.level} ${message.category}, judged ${found}: ${message.text}\n`;
    });
  return `${listMisses ? misses.join("") : ""}${tableOf(judged)}\n${namedTableOf(judged)}\n`;
}
