import { readArguments } from "../command-line.ts";
import { choose, trainFolds } from "./choose.ts";
import { cautionTable } from "./evaluate-cautions.ts";
import { type Judged, tableOf } from "./figures.ts";
import { judgeFile, judgeTrainingSources } from "./judge.ts";
import { readSource } from "./labeled.ts";
import { trainingTexts } from "./mix.ts";
import { corpusOf } from "./model.ts";

/**
 * `npm run eval:safety`: evaluates the screen on labeled messages and conversations, and the cautions, as tables with
 * 95% intervals.
 */

const HELP = `Usage: npm run eval:safety -- [--misses] [FILE…]

Without a file, judges the sources in tools/safety/corpus/labeled, each message with a classifier that was not trained on it. With
files, judges them with the shipped screen. A file has JSON lines ({text, level, category}, or {turns, level, category}
for a conversation), described in tools/safety/corpus/README.md.

  --misses  also lists the alerts that were missed or only suspected, and the harmless messages that were shown an alert
  --help    shows this text
`;

const { values, positionals } = readArguments(HELP, {
  options: { misses: { type: "boolean", default: false } },
  allowPositionals: true,
});
const judged = positionals.length > 0 ? positionals.flatMap((path) => judgeFile(readSource(path))) : crossValidated();
if (values.misses) {
  for (const { message, finding, rows } of judged) {
    const isShown = finding?.certainty === "certain";
    if (isShown === (message.level === "none")) {
      const found = finding ? `${finding.certainty} ${finding.alert.category}` : "none";
      process.stdout.write(`${rows[0]}, ${message.level} ${message.category}, judged ${found}: ${message.text}\n`);
    }
  }
}
process.stdout.write(tableOf(judged) + (positionals.length > 0 ? "" : cautionTable()));

function crossValidated(): Judged[] {
  const texts = trainingTexts();
  const folds = trainFolds(corpusOf(texts), texts);
  return judgeTrainingSources(texts, folds, choose(folds, texts));
}
