import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose, trainFolds } from "./choose.ts";
import { trainingTexts } from "./mix.ts";
import { corpusOf, pack, trainAlert, trainCategories } from "./model.ts";

const DATA = join(import.meta.dirname, "..", "data");

/**
 * Trains the safety screen's classifier on everything in `corpus/labeled/` and the grammar, chooses thresholds by
 * cross-validation, and writes `data/weights.json` and `data/weights.bin`. They are bit-for-bit reproducible.
 *
 * @returns one line about what was written
 */
export function train(): string {
  const texts = trainingTexts();
  const corpus = corpusOf(texts);
  const chosen = choose(trainFolds(corpus, texts), texts);
  const { header, weights } = pack(trainAlert(corpus), trainCategories(corpus), chosen);
  mkdirSync(DATA, { recursive: true });
  writeFileSync(join(DATA, "weights.json"), `${JSON.stringify(header, null, 2)}\n`);
  writeFileSync(join(DATA, "weights.bin"), weights);
  return `${texts.length} texts, ${weights.length} bytes, ${JSON.stringify(chosen.thresholds)}`;
}
