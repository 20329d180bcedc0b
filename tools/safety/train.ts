import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../../shared/command-line.ts";
import { choose, trainFolds } from "./choose.ts";
import { trainingTexts } from "./mix.ts";
import { corpusOf, pack, trainAlert, trainCategories } from "./model.ts";

/**
 * `npm run train:safety`: trains the safety screen's classifier on everything in `corpus/labeled/` and the grammar,
 * chooses thresholds by cross-validation, and writes the screen's two data files. They are bit-for-bit reproducible.
 */

const USAGE = `Trains the classifier of the safety screen and writes packages/safety/data/weights.json and weights.bin.

  npm run train:safety
`;

const DATA = join(import.meta.dirname, "..", "..", "packages", "safety", "data");

readArguments(USAGE, { options: {} });
const texts = trainingTexts();
const corpus = corpusOf(texts);
const chosen = choose(trainFolds(corpus, texts), texts);
const { header, weights } = pack(trainAlert(corpus), trainCategories(corpus), chosen);
mkdirSync(DATA, { recursive: true });
writeFileSync(join(DATA, "weights.json"), `${JSON.stringify(header, null, 2)}\n`);
writeFileSync(join(DATA, "weights.bin"), weights);
process.stdout.write(`${texts.length} texts, ${weights.length} bytes, ${JSON.stringify(chosen.thresholds)}\n`);
