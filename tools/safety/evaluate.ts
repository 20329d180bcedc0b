import { join } from "node:path";
import { readArguments } from "../../shared/command-line.ts";
import { choose, trainFolds } from "./choose.ts";
import { cautionTable } from "./evaluate-cautions.ts";
import { type Judged, namedTableOf, tableOf } from "./figures.ts";
import { judgeDiluted, judgeFile, judgeTrainingSources } from "./judge.ts";
import { CORPUS, filesAt, readSource } from "./labeled.ts";
import { trainingTexts } from "./mix.ts";
import { corpusOf } from "./model.ts";

/**
 * `npm run eval:safety`: evaluates the screen on labeled messages and conversations, and the cautions, as tables with
 * 95% intervals.
 */

const HELP = `Usage: npm run eval:safety -- [--cross-validation] [--misses] [FILE OR DIRECTORY…]

Judges labeled messages and conversations with the shipped screen: those of the files and of the directories' files, or
of tools/safety/corpus/put-aside-2. A file has JSON lines ({text, level, category}, or {turns, level, category} for a
conversation), described in tools/safety/corpus/README.md. Messages with a field "label" are counted separately for each.

  --cross-validation  judges what the screen is trained on instead, each message with a classifier not trained on it
  --misses            also lists the alerts that are not certain, and the harmless messages that are
  --help              shows this text
`;

const PUT_ASIDE = join(CORPUS, "put-aside-2");

const { values, positionals } = readArguments(HELP, {
  options: {
    "cross-validation": { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const paths = (positionals.length > 0 ? positionals : [PUT_ASIDE]).flatMap(filesAt);
const sources = values["cross-validation"] ? [] : paths.map(readSource);
const judged = values["cross-validation"] ? crossValidated() : sources.flatMap(judgeFile);
if (values.misses) {
  for (const { message, finding, rows } of judged) {
    const isShown = finding?.certainty === "certain";
    if (isShown === (message.level === "none")) {
      const found = finding ? `${finding.certainty} ${finding.alert.category}` : "none";
      process.stdout.write(`${rows[0]}, ${message.level} ${message.category}, judged ${found}: ${message.text}\n`);
    }
  }
}
process.stdout.write(`${tableOf(judged)}\n${namedTableOf(judged)}\n`);
if (sources.length > 0) {
  process.stdout.write(tableOf(judgeDiluted(sources), "Told alone, now among ten sentences"));
}
if (positionals.length === 0) {
  process.stdout.write(cautionTable());
}

function crossValidated(): Judged[] {
  const texts = trainingTexts();
  const folds = trainFolds(corpusOf(texts), texts);
  return judgeTrainingSources(texts, folds, choose(folds, texts));
}
